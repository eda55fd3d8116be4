// Figures: a frame with a caption and a key, and uPlot inside, in the colours of the page.

const figures = [];
const hover = document.getElementById("hover");

const tell = (lines, x, y) => {
  if (!lines) {
    hover.hidden = true;
    return;
  }
  hover.replaceChildren(...lines.map((line) => el("div", {}, line)));
  hover.hidden = false;
  const { width, height } = hover.getBoundingClientRect();
  const left = x + 14 + width > innerWidth ? Math.max(4, x - width - 14) : x + 14;
  const top = y + 14 + height > innerHeight ? Math.max(4, y - height - 14) : y + 14;
  hover.style.left = `${left}px`;
  hover.style.top = `${top}px`;
};

// A frame: heading, key (name and colour of each mark), the picture, words below.
const frame = (parent, { title, key = [], words = "", hint = "", wide = false }) => {
  const body = el("div", { class: "body" });
  const tools = el("div", { class: "tools" });
  const marks = key.map(([name, hue, shape]) => {
    const mark = el("i", { class: shape ?? "line" });
    mark.style.setProperty("--mark", `var(--${hue})`);
    return el("li", {}, mark, clean(name));
  });
  const node = el(
    "figure",
    { class: wide ? "wide" : "" },
    el("figcaption", {}, el("h3", {}, title), tools, marks.length ? el("ul", { class: "key" }, ...marks) : null),
    body,
    words ? el("p", { class: "words" }, words) : null,
    hint ? el("p", { class: "words hint" }, hint) : null,
  );
  parent.append(node);
  return { node, body, tools };
};

const axisText = "12px system-ui, sans-serif";
const ticks = (u, values) => values.map((v) => (v === null ? "" : Math.abs(v) >= 1e5 || (v !== 0 && Math.abs(v) < 1e-4) ? v.toExponential(0) : String(+v.toFixed(6)).replace("-", "−")));

const axis = (label, more = {}) => ({
  label,
  labelFont: axisText,
  font: axisText,
  labelSize: 20,
  labelGap: 0,
  gap: 4,
  stroke: () => colour("soft"),
  grid: { stroke: () => colour("rule"), width: 1 },
  ticks: { stroke: () => colour("rule"), width: 1, size: 5 },
  values: ticks,
  ...more,
});

// The y axis makes room for its longest number.
const room = (u, values) => (values ? Math.max(34, 14 + 7 * Math.max(...values.map((v) => v.length))) : 50);

// uPlot over columns `data`; `describe(index)` gives the lines of the hover box, `nearest` picks the index.
const plot = (at, { data, series, x, y, right, height = 260, range, rangeY, rangeRight, describe, nearest, bands, hooks = {}, label, points = false, whole = false, xAxis = {} }) => {
  const axes = [axis(x, { size: 26, ...(whole ? { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 1e4, 2e4, 5e4, 1e5, 1e6] } : {}), ...xAxis }), axis(y, { size: room })];
  const scales = { x: { time: false }, y: {} };
  if (range) scales.x.range = (u, low, high) => (low === null ? range : u.zoomed ? [low, high] : range);
  if (rangeY) scales.y.range = (u, low, high) => (u.zoomed && low !== null ? [low, high] : typeof rangeY === "function" ? rangeY() : rangeY);
  if (right) {
    axes.push(axis(right, { scale: "right", side: 1, size: room, grid: { show: false } }));
    scales.right = rangeRight ? { range: () => rangeRight } : {};
  }
  const options = {
    width: Math.max(200, at.body.clientWidth),
    height,
    axes,
    scales,
    bands,
    legend: { show: false },
    cursor: {
      drag: { x: true, y: true, uni: 20, setScale: true },
      points: { show: points },
      dataIdx: nearest ?? ((u, seriesAt, index) => index),
    },
    series: [{}, ...series],
    hooks: {
      ...hooks,
      setCursor: [
        (u) => {
          const { left, top, idxs } = u.cursor;
          const index = left < 0 ? null : (idxs.find((i, s) => s > 0 && i !== null && i !== undefined) ?? null);
          const lines = index === null || !describe ? null : describe(index, u);
          const box = u.over.getBoundingClientRect();
          tell(lines, box.left + left, box.top + top);
        },
      ],
      setSelect: [(u) => { if (u.select.width > 0) u.zoomed = true; }],
    },
  };
  const u = new uPlot(options, data, at.body);
  u.over.addEventListener("mouseleave", () => tell(null));
  u.over.addEventListener("dblclick", () => { u.zoomed = false; });
  u.root.setAttribute("role", "img");
  u.root.setAttribute("aria-label", label ?? `${at.node.querySelector("h3").textContent}: ${y} against ${x}`);
  const reset = el("button", { type: "button", class: "small", onclick: () => { u.zoomed = false; u.setData(u.data, true); } }, "Whole picture");
  reset.style.visibility = "hidden"; // it keeps its place, so that nothing moves when it comes
  at.tools.append(reset);
  (u.hooks.setScale ??= []).push(() => { reset.style.visibility = u.zoomed ? "visible" : "hidden"; });
  figures.push({ u, at });
  return u;
};

// Bars over a plot: edges and heights in data units.
const bars = (edges, heights, hue, scale = "y") => ({
  scale,
  points: { show: false },
  stroke: () => colour(hue),
  paths: (u) => {
    const { ctx } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    ctx.clip();
    ctx.fillStyle = colour(hue);
    const zero = u.valToPos(0, scale, true);
    heights.forEach((h, i) => {
      if (!isNumber(h) || h === 0) return;
      const [a, b] = [u.valToPos(edges[i], "x", true), u.valToPos(edges[i + 1], "x", true)];
      const top = u.valToPos(h, scale, true);
      const gap = b - a > 4 ? 1 : 0;
      ctx.fillRect(a + gap / 2, Math.min(top, zero), Math.max(1, b - a - gap), Math.abs(zero - top));
    });
    ctx.restore();
    return null;
  },
});

const line = (hue, more = {}) => ({ stroke: () => colour(hue), width: 2, points: { show: false }, spanGaps: true, ...more });

// Lines that do not share their x: one table with gaps.
const joined = (curves) => uPlot.join(curves.map(([x, y]) => [x, y]));

// A line across the plot, at a height or a place.
const rule = (scale, value, hue) => (u) => {
  const { ctx, bbox } = u;
  const v = typeof value === "function" ? value() : value;
  if (!isNumber(v)) return;
  const at = Math.round(u.valToPos(v, scale, true));
  ctx.save();
  ctx.strokeStyle = colour(hue);
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  if (scale === "x") {
    if (at < bbox.left || at > bbox.left + bbox.width) return ctx.restore();
    ctx.moveTo(at, bbox.top);
    ctx.lineTo(at, bbox.top + bbox.height);
  } else {
    if (at < bbox.top || at > bbox.top + bbox.height) return ctx.restore();
    ctx.moveTo(bbox.left, at);
    ctx.lineTo(bbox.left + bbox.width, at);
  }
  ctx.stroke();
  ctx.restore();
};

// Colours that tell categories apart, also for the colour-blind (Okabe and Ito).
const hues = ["c1", "c2", "c3", "c4", "c5", "c6", "c7"];
const hue = (i) => hues[i % hues.length];

// To the width of their frames, or to one given.
const refit = (given) => {
  for (const { u, at } of figures) {
    const width = isNumber(given) ? given : Math.max(200, at.body.clientWidth);
    if (width !== u.width) u.setSize({ width, height: u.height });
  }
};

const recolour = () => {
  for (const { u } of figures) u.redraw(false, true);
  for (const draw of redraws) draw();
};

// Pictures that are not plots and must be drawn again when colours change.
const redraws = [];
