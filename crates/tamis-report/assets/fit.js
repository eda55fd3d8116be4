// Scores and the fitted model.

const histogram = (values, low, high, width) => {
  const from = Math.floor(low / width);
  const bins = Math.max(1, Math.ceil(high / width) - from);
  const edges = Array.from({ length: bins + 1 }, (_, i) => (from + i) * width);
  const heights = new Array(bins).fill(0);
  for (const v of values) {
    if (!isNumber(v)) continue;
    const at = Math.min(bins - 1, Math.max(0, Math.floor(v / width) - from));
    heights[at] += 1;
  }
  return { edges, heights };
};

// A band between two step functions, both per bin, in data units.
const stepBand = ({ from, width, low, high }, scale, hueName) => (u) => {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.beginPath();
  const at = (x, y) => ctx.lineTo(u.valToPos(x, "x", true), u.valToPos(y * scale, "y", true));
  high.forEach((h, i) => { at(from + i * width, h); at(from + (i + 1) * width, h); });
  for (let i = low.length - 1; i >= 0; i--) { at(from + (i + 1) * width, low[i]); at(from + i * width, low[i]); }
  ctx.closePath();
  ctx.fillStyle = colour(hueName);
  ctx.fill();
  ctx.restore();
};

const drawFit = (data) => {
  const parent = document.querySelector("#fit .figures");
  const { curve, fraction_trace: trace, band, facts: rows } = data.fit;
  const scores = data.columns[0].values;
  const z = curve.z;
  const [low, high] = [z[0], z[z.length - 1]];
  // Scores beyond the fitted ones are beyond doubt; drawn to scale they would hide all others.
  const known = scores.filter(isNumber);
  const inside = known.filter((v) => v >= low && v <= high);
  const beyond = [[known.filter((v) => v < low).length, `below ${number(low, 0)}`], [known.filter((v) => v > high).length, `above ${number(high, 0)}`]];
  const outside = beyond.filter(([n]) => n > 0).map(([n, where]) => `${plural(n, "score")} ${where}`).join(" and ");
  const width = [0.05, 0.1, 0.2, 0.25, 0.5, 1, 2, 5, 10, 50, 100].find((w) => (high - low) / w <= 90) ?? (high - low) / 90;
  const { edges, heights } = histogram(inside, low, high, width);
  const scale = known.length * width;
  const null_ = curve.irrelevant_density.map((d) => d * scale);
  const rest = curve.relevant_density.map((d) => d * scale);
  const sum = null_.map((d, i) => d + rest[i]);
  const inBin = (x) => heights[Math.min(heights.length - 1, Math.max(0, Math.floor((x - edges[0]) / width)))];
  const range = [low - 0.02 * (high - low), high + 0.02 * (high - low)];
  const most = Math.max(...heights, ...sum.filter(isNumber), ...(band?.high ?? []).map((d) => d * scale), 1);
  const first = frame(parent, {
    title: "Scores, and what the model expects",
    key: [["scores", "bar", "box"], ...(band ? [["permuted targets", "band", "box"]] : []), ["no effect", "c1"], ["effect", "c2"], ["both", "ink", "dash"]],
    wide: true,
    words: outside ? `Not drawn here, because they lie beyond doubt: ${outside}.` : "",
  });
  const ends = { whole: [0, 1.05 * most], tails: [0, Math.min(1.05 * most, Math.max(4, 2.5 * Math.max(...rest.filter(isNumber))))] };
  let shown = ends.whole;
  const scoresPlot = plot(first, {
    data: [z, z.map(() => 0), null_, rest, sum],
    series: [bars(edges, heights, "bar"), line("c1"), line("c2"), line("ink", { dash: [6, 4], width: 1.5 })],
    x: "score z",
    y: `features per ${+width.toFixed(4)}`,
    height: 300,
    range,
    rangeY: () => shown,
    hooks: band ? { drawClear: [stepBand(band, scale, "band")] } : {},
    describe: (i) => [`z ${number(z[i], 2)}`, `scores nearby ${inBin(z[i])}`, `no effect ${number(null_[i], 1)}`, `effect ${number(rest[i], 1)}`],
  });

  const tails = el("button", { type: "button", class: "small", "aria-pressed": "false" }, "Tails");
  tails.addEventListener("click", () => {
    shown = shown === ends.whole ? ends.tails : ends.whole;
    tails.setAttribute("aria-pressed", String(shown === ends.tails));
    scoresPlot.zoomed = false;
    scoresPlot.setData(scoresPlot.data, true);
  });
  first.tools.prepend(tails);

  if (data.coloured) {
    const p = data.columns.find((c) => c.key === "probability").values;
    // Beyond the scores the fitted curve says nothing.
    const [least, largest] = extent(known);
    const within = (values) => values.map((v, i) => (z[i] >= least && z[i] <= largest ? v : null));
    const chance = within(curve.relevant_density.map((d, i) => (d + curve.irrelevant_density[i] > 0 ? d / (d + curve.irrelevant_density[i]) : null)));
    const shrunk = within(curve.effect);
    const second = frame(parent, { title: "The probability of an effect, by score", key: [["fitted", "c2"], ["features", "c1", "dot"]] });
    const points = sparse(scores, p, 4000);
    plot(second, {
      data: [z, chance],
      series: [line("c2")],
      x: "score z",
      y: "probability",
      range,
      rangeY: [-0.02, 1.02],
      hooks: { draw: [dots(points, "c1", 1.6), rule("y", 0.5, "soft")] },
      describe: (i) => [`z ${number(z[i], 2)}`, `probability ${number(chance[i], 3)}`],
    });
    const effect = data.columns.find((c) => c.key === "effect").values;
    const third = frame(parent, { title: "The effect, shrunk towards zero", key: [["estimate", "c2"], ["no shrinkage", "soft", "dash"], ["features", "c1", "dot"]] });
    plot(third, {
      data: [z, shrunk, z],
      series: [line("c2"), line("soft", { dash: [6, 4], width: 1 })],
      x: "score z",
      y: "effect",
      range,
      hooks: { draw: [dots(sparse(scores, effect, 4000), "c1", 1.6)] },
      describe: (i) => [`z ${number(z[i], 2)}`, `effect ${number(shrunk[i], 2)}`],
    });
  }
  if (trace?.length > 1) {
    const steps = trace.map((_, i) => i + 1);
    const fourth = frame(parent, { title: "The share of features without an effect, as the fit went on", key: [["share", "c1"]] });
    plot(fourth, {
      data: [steps, trace],
      series: [line("c1", { points: { show: steps.length < 60, size: 4, fill: () => colour("c1") } })],
      x: "iteration",
      y: "share",
      whole: true,
      rangeY: padded(trace),
      describe: (i) => [`iteration ${steps[i]}`, `share ${number(trace[i], 4)}`],
    });
  }
  if (rows.length) parent.append(facts("The fit in numbers", rows));
};

const facts = (title, rows) =>
  el("figure", {}, el("figcaption", {}, el("h3", {}, title)), el("dl", { class: "facts" }, ...rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])));

const padded = (values) => {
  const [low, high] = extent(values);
  const pad = 0.08 * (high - low || Math.abs(high) || 1);
  return [low - pad, high + pad];
};

// At most `most` points, every one kept where they are few: extremes always, the crowd thinned.
const sparse = (x, y, most) => {
  const points = x.map((v, i) => [v, y[i]]).filter(([a, b]) => isNumber(a) && isNumber(b));
  if (points.length <= most) return points;
  points.sort((a, b) => Math.abs(b[0]) - Math.abs(a[0]));
  const every = (points.length - most / 2) / (most / 2);
  return points.filter((_, i) => i < most / 2 || Math.floor((i - most / 2) / every) !== Math.floor((i - 1 - most / 2) / every));
};

const dots = (points, hueName, size, scale = "y") => (u) => {
  const { ctx, bbox } = u;
  const r = size * devicePixelRatio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.fillStyle = colour(hueName);
  ctx.beginPath();
  for (const [x, y] of points) {
    const [cx, cy] = [u.valToPos(x, "x", true), u.valToPos(y, scale, true)];
    ctx.moveTo(cx + r, cy);
    ctx.arc(cx, cy, r, 0, 7);
  }
  ctx.fill();
  ctx.restore();
};
