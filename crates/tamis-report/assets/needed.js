// Which features are needed, given the others: probabilities, neighbours, chains, components, prediction.

// Features of the graph at most.
const GRAPHED = 48;

const drawNeeded = (data) => {
  const parent = document.querySelector("#needed .figures");
  const own = { ...data.needed, finding: new Map(), working: new Set(data.needed.working) };
  own.findings.forEach((members, k) => members.forEach((index) => own.finding.set(index, k)));
  drawInclusion(parent, data, own);
  if (own.neighbours.length) drawNeighbours(parent, data, own);
  if (own.chains.length > 1 && own.shown.length) drawChains(parent, data, own);
  if (own.components?.axes.length) drawComponents(parent, own.components);
  if (own.curve?.points.length) drawCurve(parent, own.curve);
};

// Points drawn over a plot in the order given: [x, y, hue, radius].
const marks = (points) => (u) => {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left - 8, bbox.top - 8, bbox.width + 16, bbox.height + 16);
  ctx.clip();
  for (const [x, y, hue, radius] of points) {
    ctx.fillStyle = colour(hue);
    ctx.beginPath();
    circle(ctx, u.valToPos(x, "x", true), u.valToPos(y, "y", true), radius * devicePixelRatio);
    ctx.fill();
  }
  ctx.restore();
};

// The nearest of points ascending in x, of those near enough.
const nearestOf = (points) => (u, s, index) => {
  if (s === 0 || index === null) return index;
  let [best, least] = [null, 200];
  points.forEach(([x, y], at) => {
    const d = (u.valToPos(x, "x") - u.cursor.left) ** 2 + (u.valToPos(y, "y") - u.cursor.top) ** 2;
    if (d < least) [best, least] = [at, d];
  });
  return best;
};

const dotPlot = (at, points, describe, more) =>
  plot(at, {
    data: [points.map((p) => p[0]), points.map((p) => p[1])],
    series: [{ points: { show: false }, paths: () => null, stroke: () => colour("c1") }],
    nearest: nearestOf(points),
    describe: (i) => (i === null || !points[i] ? null : describe(i)),
    ...more,
    hooks: { drawAxes: [marks([...points].sort((a, b) => a[3] - b[3])), ...(more.rules ?? [])] },
  });

// A feature in words for the hover box.
const neededWords = (data, own, index) => [
  brief(data.names[index], 60),
  `needed with probability ${number(own.inclusion[index], 3)}`,
  ...(own.finding.has(index) ? [`member of set ${own.finding.get(index) + 1}`] : []),
  ...(own.working.has(index) ? ["in the working set"] : []),
];

const drawInclusion = (parent, data, own) => {
  const n = data.names.length;
  const at = frame(parent, {
    title: "Probability of being needed, by position",
    key: [["member of a finding", "c2", "dot"], ["working set only", "c1", "dot"], ["other", "p0", "dot"]],
    words: "Interchangeable features share their probability: a set can be certain while each member is not.",
    wide: true,
  });
  const kept = data.names.map((_, i) => i).filter((i) => isNumber(own.inclusion[i]));
  const style = (i) => (own.finding.has(i) ? ["c2", 4] : own.working.has(i) ? ["c1", 4] : ["p0", n > 5000 ? 1.6 : 2.4]);
  const points = kept.map((i) => [i + 1, own.inclusion[i], ...style(i)]);
  dotPlot(at, points, (k) => neededWords(data, own, kept[k]), {
    x: "position in the file", y: "probability", whole: true,
    range: [0.5 - 0.01 * n, n + 0.5 + 0.01 * n], rangeY: [-0.02, 1.04],
  });
};

// A circle of features, set by set; lines join the correlated ones.
const drawNeighbours = (parent, data, own) => {
  const order = [...new Set([...own.findings.flat(), ...own.working])].slice(0, GRAPHED);
  const place = new Map(order.map((index, k) => [index, k]));
  const inside = own.neighbours.filter(([a, b]) => place.has(a) && place.has(b));
  const hueOf = (index) => (own.finding.has(index) ? hue(own.finding.get(index)) : "p0");
  const hidden = new Set([...own.findings.flat(), ...own.working]).size - order.length;
  const at = frame(parent, {
    title: "Neighbours",
    key: [["correlated", "soft"], ["negatively correlated", "soft", "dash"]],
    words: `Members of findings in one colour a set, working set in grey; larger dots are more probable. Lines join features that correlate by 0.3 or more, the stronger the thicker.${hidden > 0 ? ` ${plural(hidden, "feature")} not shown.` : ""}`,
  });
  const [size, middle, radius] = [460, 230, 125];
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const draw = (tag, attributes, text) => {
    const node = document.createElementNS(space, tag);
    for (const [key, value] of Object.entries(attributes)) key === "style" ? (node.style.cssText = value) : node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    svg.append(node);
    return node;
  };
  for (const [key, value] of Object.entries({ viewBox: `0 0 ${size} ${size}`, width: size, role: "img", "aria-label": `${plural(order.length, "feature")}, ${plural(inside.length, "correlated pair")}`, class: "graph" })) svg.setAttribute(key, value);
  // sets stand apart by half a step
  const steps = [0];
  order.forEach((index, k) => { if (k) steps.push(steps[k - 1] + (own.finding.get(index) === own.finding.get(order[k - 1]) ? 1 : 1.6)); });
  const total = steps[order.length - 1] + 1.6;
  const angle = order.map((_, k) => (2 * Math.PI * steps[k]) / total - Math.PI / 2);
  const spot = (k, r) => [middle + r * Math.cos(angle[k]), middle + r * Math.sin(angle[k])];
  const said = (node, lines) => {
    node.addEventListener("mousemove", (e) => tell(lines, e.clientX, e.clientY));
    node.addEventListener("mouseleave", () => tell(null));
  };
  for (const [a, b, r] of [...inside].sort((p, q) => Math.abs(p[2]) - Math.abs(q[2]))) {
    const [x1, y1] = spot(place.get(a), radius);
    const [x2, y2] = spot(place.get(b), radius);
    const [cx, cy] = [x1 + x2, y1 + y2].map((sum) => middle + 0.45 * (sum / 2 - middle));
    const strength = (Math.abs(r) - 0.3) / 0.7;
    const node = draw("path", { d: `M${x1},${y1}Q${cx},${cy} ${x2},${y2}`, class: "edge", "stroke-width": 0.8 + 3.2 * strength, "stroke-opacity": 0.25 + 0.6 * strength, "stroke-dasharray": r < 0 ? "6 4" : "none" });
    said(node, [`${brief(data.names[a], 40)} and ${brief(data.names[b], 40)}`, `correlation ${number(r, 2).replace("-", "−")}`]);
  }
  const textSize = order.length > 32 ? 11 : 13;
  order.forEach((index, k) => {
    const [x, y] = spot(k, radius);
    const node = draw("circle", { cx: x, cy: y, r: 4 + 6 * Math.sqrt(own.inclusion[index] ?? 0), style: `fill:var(--${hueOf(index)});stroke:var(--paper)` });
    said(node, neededWords(data, own, index));
    const turn = (angle[k] * 180) / Math.PI;
    const back = Math.cos(angle[k]) < -1e-9;
    const [tx, ty] = spot(k, radius + 15);
    draw("text", { x: 0, y: 4, "text-anchor": back ? "end" : "start", transform: `translate(${tx},${ty}) rotate(${back ? turn + 180 : turn})`, style: `font-size:${textSize}px` }, brief(data.names[index], 12));
  });
  at.body.append(svg);
};

const drawChains = (parent, data, own) => {
  const [first, ...others] = own.chains;
  const at = frame(parent, {
    title: "Chains side by side",
    key: others.map((_, k) => [`chain ${k + 2}`, hue(k), "dot"]),
    words: "A point per feature and chain. Chains start apart and do not know each other; points far from the line are features they disagree on.",
  });
  const points = others.flatMap((chain, k) => chain.map((p, i) => [first[i], p, hue(k), 3.2, i]));
  points.sort((a, b) => a[0] - b[0]);
  const diagonal = (u) => {
    const { ctx } = u;
    ctx.save();
    ctx.strokeStyle = colour("soft");
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(u.valToPos(0, "x", true), u.valToPos(0, "y", true));
    ctx.lineTo(u.valToPos(1, "x", true), u.valToPos(1, "y", true));
    ctx.stroke();
    ctx.restore();
  };
  dotPlot(at, points, (k) => [brief(data.names[own.shown[points[k][4]]], 60), ...own.chains.map((chain, c) => `chain ${c + 1}: ${number(chain[points[k][4]], 3)}`)], {
    x: "probability by chain 1", y: "by the other chains", height: 380, range: [-0.03, 1.03], rangeY: [-0.03, 1.03], rules: [diagonal],
  });
};

// Samples on the most probable components.
const drawComponents = (parent, { parts, part, axes }) => {
  const scale = parts.length === 5 && / to /.test(parts[1]) && /^above /.test(parts[4]) ? (k) => `p${k}` : hue;
  const [a, b] = axes;
  const name = (axis) => `component ${axis.component} (P = ${number(axis.probability, 2)})`;
  const likely = axes.some((axis) => axis.probability > 0.5);
  const at = frame(parent, {
    title: "Samples on shared components",
    key: parts.map((label, k) => [brief(label, 24), scale(k), "dot"]),
    words: likely
      ? "P is the probability that the target follows the component. Is it a batch? Compare the samples with how and when they were measured."
      : "P is the probability that the target follows the component, given single features. None is likely here; a batch would separate the colours.",
  });
  const points = a.scores.map((x, i) => [x, b ? b.scores[i] : i + 1, scale(part[i]), 3.4, i]).sort((p, q) => p[0] - q[0]);
  dotPlot(at, points, (k) => [`sample ${points[k][4] + 1}: ${brief(parts[part[points[k][4]]], 40)}`, ...axes.map((axis) => `component ${axis.component}: ${number(axis.scores[points[k][4]], 3).replace("-", "−")}`)], {
    x: name(a), y: b ? name(b) : "sample", height: 380, range: padded(points.map((p) => p[0])), rangeY: padded(points.map((p) => p[1])),
  });
};

const drawCurve = (parent, { points, words }) => {
  const at = frame(parent, { title: "How well working sets predict new rows", words });
  plot(at, {
    data: [points.map((p) => p[0]), points.map((p) => p[1])],
    series: [line("c1", { paths: uPlot.paths.linear() })],
    x: "false positive rate", y: "true positive rate", height: 380, range: [0, 1], rangeY: [0, 1.01],
    describe: (i) => [`true positives ${number(points[i][1], 2)}`, `false positives ${number(points[i][0], 2)}`],
  });
};
