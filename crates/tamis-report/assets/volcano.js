// Differences against p-values (volcano plot) and, for counts, against means (MA plot).

const drawVolcano = (shared) => {
  const { data, decided } = shared;
  const { log_p: logP, x, words, means } = data.volcano;
  const difference = decided.column("difference");
  const both = difference.map((d, i) => (isNumber(logP[i]) ? d : null));
  const most = Math.max(...extent(both).map(Math.abs)) || 1;
  const parent = document.getElementById("closer");
  const at = frame(parent, { title: "Volcano plot", key: scatterKey(data), words: clean(words) });
  scatter(at, shared, difference, logP, {
    x,
    y: "−log₁₀ p",
    height: 320,
    range: [-1.06 * most, 1.06 * most],
    rangeY: [0, 1.06 * Math.max(1, extent(logP)[1])],
    hooks: { drawAxes: [rule("x", 0, "soft")] },
  });
  if (!means) return;
  const second = frame(parent, {
    title: "MA plot",
    key: scatterKey(data),
    words: "If counts are well normalised, features without an effect lie around zero, whatever their mean.",
  });
  const shown = difference.map((d, i) => (isNumber(means[i]) ? d : null));
  const largest = Math.max(...extent(shown).map(Math.abs)) || 1;
  scatter(second, shared, means, difference, {
    x: "mean of all rows (log₂ counts per million)",
    y: x,
    height: 320,
    range: padded(means),
    rangeY: [-1.06 * largest, 1.06 * largest],
    hooks: { drawAxes: [rule("y", 0, "soft")] },
  });
};
