// The values of the picked feature: boxes by class, points against a numeric target, or curves of survival.

const drawValues = ({ data, decided, picked }) => {
  const { features } = data.values;
  const place = new Map(features.map((feature, at) => [feature.index, at]));
  const node = el("div", { id: "one" });
  const figure = el("div");
  const select = el("select", { id: "feature" }, ...features.map((f, at) => el("option", { value: at }, `${data.rank[f.index]}. ${brief(data.names[f.index], 48)}`)));
  select.addEventListener("change", () => picked.pick(features[+select.value].index));
  const hint = el("p", { class: "words hint", role: "status" });
  node.append(el("div", { class: "control" }, el("label", { for: "feature" }, "Values of"), select), figure, hint);
  document.getElementById("closer").append(node);
  let shown = [];

  const show = (index) => {
    if (!place.has(index)) {
      hint.textContent = `The page does not hold the values of ${brief(data.names[index], 60)}, but only of ${features.length < data.selected.length ? "the first selected features" : "selected features"}.`;
      return;
    }
    hint.textContent = "Click on a point or on a name in the table to see another feature.";
    select.value = place.get(index);
    for (const old of shown) {
      figures.splice(figures.findIndex(({ u }) => u === old), 1);
      old.destroy();
    }
    figure.replaceChildren();
    tell(null);
    const feature = features[place.get(index)];
    const draw = { classes: drawBoxes, numbers: drawPoints, survival: drawSurvival }[data.values.kind];
    shown = [draw(figure, data, feature, estimate(data, decided, feature)), drawRelation(figure, data, feature)].filter((u) => u);
  };
  picked.listen(show);
  if (features.length) picked.pick(features[0].index);
};

// The difference, slope or log hazard ratio of a feature in words, with its interval.
const estimate = (data, decided, { index, interval }) => {
  const column = data.columns.find((c) => c.key === "difference");
  const value = column?.values[index];
  if (!isNumber(value)) return "";
  const digits = (x) => +x.toPrecision(3);
  const name = { classes: "Difference", numbers: "Slope", survival: "Log hazard ratio" }[data.values.kind];
  const range = interval ? ` (95 % interval ${digits(interval[0])} to ${digits(interval[1])})`.replaceAll("-", "−") : "";
  return `${name} ${String(digits(value)).replace("-", "−")}${range}`;
};

const oneTitle = (data, { index }) => brief(data.names[index], 60);

// A point per row against the target, with the regression line.
const drawPoints = (parent, data, feature, told) => {
  const { target } = data.values;
  const { values, line: ends } = feature.figure;
  const order = target.map((_, i) => i).filter((i) => isNumber(values[i]));
  order.sort((a, b) => target[a] - target[b] || a - b);
  const [x, y] = [order.map((i) => target[i]), order.map((i) => values[i])];
  const [low, high] = extent(target);
  const at = frame(parent, {
    title: oneTitle(data, feature),
    key: [["rows", "c1", "dot"], ...(ends ? [["regression line", "c2"]] : [])],
    words: told && `${told} per unit of the target.`,
  });
  const fit = (v) => ends[0] + ((ends[1] - ends[0]) * (v - low)) / (high - low || 1);
  const fitted = x.map((v, i) => (ends && (i === 0 || i === x.length - 1) ? fit(v) : null));
  return plot(at, {
    data: [x, y, fitted],
    series: [{ points: { show: false }, paths: () => null, stroke: () => colour("c1") }, line("c2")],
    x: brief(data.target, 32) || "target",
    y: data.value,
    height: 320,
    range: padded([low, high]),
    rangeY: padded(y.concat(fitted)),
    hooks: { drawAxes: [dots(x.map((v, i) => [v, y[i]]), "c1", order.length > 500 ? 1.6 : 2.4)] },
    describe: (i) => [`row with target ${number(x[i], 3)}`, `value ${+y[i].toPrecision(5)}`],
  });
};
