// What boxes do not show: densities where the shape of a feature differs, a table where it takes a partner.

const drawRelation = (parent, data, feature) => {
  const draw = { shape: drawDensities, together: drawPairTable }[feature.relation?.kind];
  return draw ? draw(parent, data, feature) : null;
};

const drawDensities = (parent, data, feature) => {
  const { labels } = data.values;
  const { at: x, curves } = feature.relation;
  const shown = curves.map((curve, k) => [curve, k]).filter(([curve]) => curve);
  const at = frame(parent, {
    title: `${oneTitle(data, feature)}: density in each class`,
    key: shown.map(([, k]) => [brief(labels[k], 24), hue(k)]),
    words: "The classes differ in the shape of this feature, not only in its level.",
  });
  return plot(at, {
    data: [x, ...shown.map(([curve]) => curve)],
    series: shown.map(([, k]) => line(hue(k))),
    x: data.value,
    y: "density",
    height: 240,
    describe: (i) => [`${data.value} ${number(x[i], 3)}`, ...shown.map(([curve, k]) => `${brief(labels[k], 32)} ${number(curve[i], 3)}`)],
  });
};

// Rows of each class by thirds of two features; two classes as the share of the second.
const drawPairTable = (parent, data, feature) => {
  const { labels } = data.values;
  const { partner, cuts, counts } = feature.relation;
  const positive = Math.max(0, labels.indexOf(data.positive ?? labels[labels.length - 1]));
  const parts = (own) => [...own.map((cut) => `≤ ${cut}`), `> ${own[own.length - 1]}`];
  const two = labels.length === 2;
  const at = frame(parent, {
    title: `${oneTitle(data, feature)} together with ${brief(data.names[partner], 40)}`,
    words: two
      ? `Share of rows that are ${brief(labels[positive], 24)}, and how many rows there are, by parts of both features.`
      : `Rows of ${labels.map((l) => brief(l, 16)).join(", ")}, by parts of both features.`,
  });
  const cellOf = (own) => {
    const rows = own.reduce((sum, n) => sum + n, 0);
    if (!two) return el("td", {}, own.join(" / "));
    const share = rows ? own[positive] / rows : null;
    const node = el("td", {}, share === null ? "–" : `${count(100 * share)} %`, " ", el("small", {}, `of ${count(rows)}`));
    if (share !== null) node.style.background = `color-mix(in srgb, var(--c1) ${count(45 * share)}%, transparent)`;
    return node;
  };
  const head = el("tr", {}, el("th", { scope: "col" }, brief(data.names[feature.index], 32)), ...parts(cuts[1]).map((p) => el("th", { scope: "col" }, p)));
  const rows = counts.map((row, i) => el("tr", {}, el("th", { scope: "row" }, parts(cuts[0])[i]), ...row.map(cellOf)));
  at.body.append(el("table", { class: "pair" }, el("thead", {}, el("tr", {}, el("th", {}), el("th", { scope: "col", colspan: counts[0].length }, brief(data.names[partner], 40))), head), el("tbody", {}, ...rows)));
  return null;
};
