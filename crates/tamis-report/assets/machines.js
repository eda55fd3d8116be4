// Vector machines: how they learned, what they kept, what they say of the rows they learned from.

const drawMachines = (data) => {
  const parent = document.querySelector("#machines .figures");
  const { machines } = data;
  const one = machines.length === 1;
  const classes = new Set(machines.map((m) => m.class)).size;
  const called = (m) => [classes > 1 ? `class ${brief(m.class, 24)}` : "", m.kernel ? `${m.kernel} kernel` : ""].filter(Boolean).join(", ");
  const names = machines.map((m) => (one ? "" : called(m)));
  const key = (more = []) => (one ? [] : machines.map((m, i) => [names[i], hue(i)])).concat(more);
  const longest = Math.max(...machines.map((m) => Math.max(m.features_left.length, m.evidence?.length ?? 0, m.log_likelihood?.length ?? 0)), 1);
  const steps = Array.from({ length: longest }, (_, i) => i + 1);
  const filled = (values) => steps.map((_, i) => values[i] ?? null);
  const traces = (title, pick, y, more = {}) => {
    const curves = machines.map((m) => filled(pick(m) ?? []));
    if (!curves.some((c) => c.some(isNumber))) return;
    const at = frame(parent, { title, key: key() });
    plot(at, {
      data: [steps, ...curves],
      series: curves.map((_, i) => line(hue(i), { points: { show: steps.length < 3, size: 5 } })),
      x: "iteration",
      y,
      whole: true,
      describe: (i) => [`iteration ${steps[i]}`, ...curves.map((c, k) => `${names[k]} ${number(c[i], more.digits ?? 0)}`.trim())],
      ...more,
    });
  };
  const hasEvidence = machines.some((m) => m.evidence?.length);
  traces(hasEvidence ? "Evidence" : "Log-likelihood", (m) => (hasEvidence ? m.evidence : m.log_likelihood), hasEvidence ? "log evidence" : "log-likelihood", { digits: 1 });
  const most = (pick) => [0, 1.05 * Math.max(1, ...machines.flatMap(pick))];
  traces("Features left", (m) => m.features_left, "features", { rangeY: most((m) => m.features_left) });
  const hasSamples = machines.some((m) => m.samples_left.some((n) => n > 0));
  if (hasSamples) traces("Samples left", (m) => m.samples_left, "samples", { rangeY: most((m) => m.samples_left) });
  const rows = machines.flatMap((m, i) => {
    const prefix = one ? "" : `${names[i]}: `;
    const kept = m.theta.filter((t) => t > 0).length;
    const shown = m.samples.slice(0, 12).map((r) => r + 1).join(", ");
    if (!hasSamples) return [[`${prefix}kept`, plural(kept, "feature")]];
    const found = [
      [`${prefix}kept`, `${plural(kept, "feature")}, ${plural(m.samples.length, "sample")}; best of ${plural(m.starts, "start")}`],
      [`${prefix}kept samples, by row`, shown + (m.samples.length > 12 ? `, and ${m.samples.length - 12} more` : "") || "–"],
    ];
    if (m.generalisation) found.push([`${prefix}loss on these rows, up to the margin`, number(m.generalisation.empirical_loss, 3)]);
    return found;
  });
  parent.append(facts("What was kept", rows));
  drawWeights(parent, data, names);
  for (const [i, machine] of machines.entries()) drawPredictions(parent, machine, one, i);
};

const drawWeights = (parent, data, names) => {
  const { machines } = data;
  const n = data.names.length;
  const position = Array.from({ length: n }, (_, i) => i + 1);
  const at = frame(parent, { title: "Weights of the features", key: machines.length > 1 ? machines.map((m, i) => [names[i], hue(i), "dot"]) : [], wide: true });
  const stems = machines.map((m, k) => (u) => {
    const { ctx } = u;
    ctx.save();
    ctx.strokeStyle = colour(hue(k));
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.beginPath();
    const shift = (k - (machines.length - 1) / 2) * Math.min(4, (0.6 * u.bbox.width) / n / machines.length) * devicePixelRatio;
    const points = [];
    m.theta.forEach((t, i) => {
      if (!(t > 0)) return;
      const [x, y, zero] = [u.valToPos(i + 1, "x", true) + shift, u.valToPos(t, "y", true), u.valToPos(0, "y", true)];
      if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) return;
      ctx.moveTo(x, zero);
      ctx.lineTo(x, y);
      points.push([x, y]);
    });
    ctx.stroke();
    ctx.fillStyle = colour(hue(k));
    for (const [x, y] of points) {
      ctx.beginPath();
      ctx.arc(x, y, 2.5 * devicePixelRatio, 0, 7);
      ctx.fill();
    }
    ctx.restore();
  });
  const top = Math.max(extent(machines.flatMap((m) => m.theta))[1], 1e-12);
  plot(at, {
    data: [position, ...machines.map((m) => m.theta)],
    series: machines.map((_, k) => ({ points: { show: false }, paths: () => null, stroke: () => colour(hue(k)) })),
    x: "position in the file",
    y: "weight",
    whole: true,
    range: [0.5 - 0.01 * n, n + 0.5 + 0.01 * n],
    rangeY: [0, 1.06 * top],
    hooks: { draw: stems },
    describe: (i) => [brief(data.names[i], 60), ...machines.map((m, k) => `${names[k]} ${number(m.theta[i], 4)}`.trim())],
  });
};

const drawPredictions = (parent, machine, one, k) => {
  const groups = (machine.predicted ?? []).filter((g) => g.counts.some((c) => c > 0));
  if (!groups.length) return;
  const parts = groups[0].counts.length;
  const edges = Array.from({ length: parts + 1 }, (_, i) => i / parts);
  const share = groups.map((g) => {
    const total = g.counts.reduce((a, b) => a + b, 0);
    return g.counts.map((c) => c / total);
  });
  const at = frame(parent, { title: `Predicted probability of class ${brief(machine.class, 24)}`, key: groups.map((g, i) => [`rows of class ${brief(g.class, 24)}`, hue(i)]), words: k === 0 ? "On the rows it learned from: a classifier does worse on others." : "" });
  plot(at, {
    data: [edges, ...share.map((s) => [...s, s[parts - 1]])],
    series: share.map((_, i) => line(hue(i), { paths: uPlot.paths.stepped({ align: 1 }) })),
    x: "probability",
    y: "share of the class",
    range: [0, 1],
    rangeY: [0, 1.05 * Math.max(...share.flat())],
    describe: (i) => i < parts && [`probability ${edges[i].toFixed(2)}–${edges[i + 1].toFixed(2)}`, ...groups.map((g, c) => `${brief(g.class, 24)} ${g.counts[i]} rows`)],
  });
};
