// Every feature by position in the file.

const drawFeatures = (shared) => {
  const { data } = shared;
  const main = data.columns[0];
  const n = data.names.length;
  const at = frame(document.querySelector("#features .figures"), {
    title: data.coloured ? "Score, coloured by the probability of an effect" : `${main.head[0].toUpperCase()}${main.head.slice(1)} of every feature`,
    key: scatterKey(data),
    wide: true,
    hint: "Drag over a part to see it larger, double-click for the whole; click on a point to find it in the table.",
  });
  const [low, high] = extent(main.values.concat(0));
  const pad = 0.06 * (high - low || 1);
  const position = Array.from({ length: n }, (_, i) => i + 1);
  scatter(at, shared, position, main.values, {
    x: "position in the file",
    y: main.head,
    whole: true,
    height: 340,
    range: [0.5 - 0.01 * n, n + 0.5 + 0.01 * n],
    rangeY: [low - pad, high + pad],
  });
};
