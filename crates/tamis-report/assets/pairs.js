// Pairs of features: who with whom, the table of a pair, and what permutations give.

// Features on each side of the map.
const MAPPED = 40;

const drawPairs = (data) => {
  const parent = document.querySelector("#pairs .figures");
  if (data.pairs.pairs?.length) drawMap(parent, data);
  drawPermutations(parent, data);
};

// A square for every listed pair of the features that come first in the list, darker for a larger gain.
const drawMap = (parent, data) => {
  const listed = data.pairs.pairs;
  const shown = [];
  for (const { first, second } of listed) {
    for (const index of [first, second]) if (!shown.includes(index) && shown.length < MAPPED) shown.push(index);
  }
  shown.sort((a, b) => data.rank[a] - data.rank[b]);
  const place = new Map(shown.map((index, at) => [index, at]));
  const inside = listed.filter(({ first, second }) => place.has(first) && place.has(second));
  const [size, left] = [shown.length > 20 ? 14 : 22, 110];
  const side = left + size * shown.length + 4;
  const at = frame(parent, {
    title: "Who with whom",
    key: [["gain of a pair: the darker, the larger", "c1", "box"]],
    words: `${plural(listed.length, "pair")} of features that tell more together than the better of the two${inside.length < listed.length ? `, ${inside.length} of them shown here` : ""}.`,
    hint: "Click on a square to see how often each class has each combination.",
  });
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const draw = (tag, attributes, text) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    svg.append(node);
    return node;
  };
  for (const [key, value] of Object.entries({ viewBox: `0 0 ${side} ${side}`, width: Math.min(side, 640), role: "group", "aria-label": `Map of ${plural(inside.length, "pair")}`, class: "map" })) svg.setAttribute(key, value);
  shown.forEach((index, i) => {
    const middle = left + (i + 0.5) * size;
    draw("text", { x: left - 6, y: middle + 4, "text-anchor": "end" }, brief(data.names[index], 14));
    draw("text", { x: 0, y: 0, "text-anchor": "start", transform: `translate(${middle + 4},${left - 6}) rotate(-90)` }, brief(data.names[index], 14));
    draw("line", { x1: left, x2: side - 4, y1: middle, y2: middle, class: "thin" });
    draw("line", { y1: left, y2: side - 4, x1: middle, x2: middle, class: "thin" });
  });
  const figure = el("div", { id: "pair", role: "status" });
  const largest = Math.max(...listed.map((pair) => pair.gain));
  const squares = new Map();
  const show = (pair) => {
    for (const [other, nodes] of squares) nodes.forEach((node) => node.classList.toggle("picked", other === pair));
    figure.replaceChildren(...pairTables(data, pair));
  };
  for (const pair of inside) {
    const words = [`${brief(data.names[pair.first], 40)} with ${brief(data.names[pair.second], 40)}`, `gain ${number(pair.gain, 4)}`, `p ${number(pair.p_value, 4)}`];
    const ends = [place.get(pair.first), place.get(pair.second)];
    squares.set(pair, [ends, [...ends].reverse()].map(([row, column], copy) => {
      const node = draw("rect", { x: left + column * size + 1, y: left + row * size + 1, width: size - 2, height: size - 2, "fill-opacity": 0.15 + 0.85 * (pair.gain / largest), class: "bar" });
      if (copy === 0) {
        for (const [key, value] of [["tabindex", 0], ["role", "button"], ["aria-label", words.join(", ")]]) node.setAttribute(key, value);
        node.addEventListener("keydown", (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); show(pair); } });
      }
      node.addEventListener("click", () => show(pair));
      node.addEventListener("mousemove", (e) => tell(words, e.clientX, e.clientY));
      node.addEventListener("mouseleave", () => tell(null));
      return node;
    }));
  }
  at.body.append(svg);
  const beside = frame(parent, { title: "Classes in a pair's table" });
  beside.body.append(figure);
  show(inside[0] ?? listed[0]);
};

// How many rows of each class have each combination of levels; a bar shows the classes' shares.
const pairTables = (data, pair) => {
  const hues = ["c1", "c2", "c3", "c4"];
  const [down, across] = [pair.first, pair.second].map((index) => data.names[index]);
  const title = el("p", { class: "words" }, `${brief(down, 60)} down, ${brief(across, 60)} across; gain ${number(pair.gain, 4)}, p ${number(pair.p_value, 4)}.`);
  if (!pair.counts?.length) return [title, el("p", { class: "words" }, "The file holds tables of the 100 pairs with the largest gain only.")];
  const names = (index, n) => data.pairs.levels.find((levels) => levels.index === index)?.names ?? Array.from({ length: n }, (_, i) => `level ${i + 1}`);
  const [rows, columns] = [names(pair.first, pair.counts[0].length), names(pair.second, pair.counts[0][0].length)];
  const classes = pair.counts.map((_, c) => data.pairs.classes[c] ?? `class ${c + 1}`);
  const totals = pair.counts.map((table) => table.flat().reduce((a, b) => a + b, 0));
  const cellOf = (u, v) => {
    const counts = pair.counts.map((table) => table[u][v]);
    // shares within the class, so that a large class does not fill every bar
    const shares = counts.map((c, k) => c / Math.max(1, totals[k]));
    const sum = shares.reduce((a, b) => a + b, 0) || 1;
    const parts = shares.map((share, k) => {
      const part = el("i", {});
      part.style.cssText = `width:${(100 * share) / sum}%;background:${colour(hues[k % hues.length]) || "gray"}`;
      return part;
    });
    return el("td", { title: classes.map((name, k) => `${clean(name)}: ${counts[k]}`).join(", ") }, counts.join(" / "), el("span", { class: "shares", "aria-hidden": "true" }, ...parts));
  };
  const head = el("tr", {}, el("th", { scope: "col" }, brief(down, 20)), ...columns.map((name) => el("th", { scope: "col" }, brief(name, 24))));
  const body = rows.map((name, u) => el("tr", {}, el("th", { scope: "row" }, brief(name, 24)), ...columns.map((_, v) => cellOf(u, v))));
  const table = el("table", { class: "pair" }, el("thead", {}, head), el("tbody", {}, ...body));
  const key = el("ul", { class: "key" }, ...classes.map((name, k) => {
    const mark = el("i", { class: "box" });
    mark.style.setProperty("--mark", `var(--${hues[k % hues.length]})`);
    return el("li", {}, mark, clean(name));
  }));
  return [title, el("div", { class: "scroll" }, table), key, el("p", { class: "words" }, `Rows of ${classes.map((name) => brief(name, 20)).join(" / ")} in each cell; bars compare the classes as if they had equally many rows.`)];
};

const drawPermutations = (parent, data) => {
  const { null: chance, threshold } = data.pairs;
  const scores = data.columns[0].values.filter(isNumber);
  const [low, high] = extent(scores.concat(chance));
  const width = (high - low || 1) / 50;
  const mine = histogram(scores, low, high, width);
  const theirs = histogram(chance, low, high, width);
  const share = (h, n) => h.heights.map((v) => v / Math.max(1, n));
  const at = frame(parent, { title: "Scores, and the largest of each permutation", key: [["scores", "bar", "box"], ["largest of a permutation", "c2", "box"], ["must exceed", "ink", "dash"]], wide: true });
  plot(at, {
    data: [mine.edges, mine.edges.map(() => 0), mine.edges.map(() => 0)],
    series: [bars(mine.edges, share(mine, scores.length), "bar"), bars(theirs.edges, share(theirs, chance.length), "c2")],
    x: "score",
    y: "share",
    rangeY: [0, 1.05 * Math.max(...share(mine, scores.length), ...share(theirs, chance.length))],
    hooks: { draw: [rule("x", threshold, "ink")] },
    describe: (i) => [`score ${number(mine.edges[i], 4)}`, plural(mine.heights[i] ?? 0, "feature")],
  });
};
