// Features as points, coloured by probability; the chosen ones stand out, and a click picks one.

const levels = [0.1, 0.5, 0.9, 0.99];
const levelNames = ["below 0.1", "0.1–0.5", "0.5–0.9", "0.9–0.99", "above 0.99"];

// The feature that the reader looks at: plots and table pick it, others listen.
const picking = () => {
  const listeners = [];
  const state = { index: null };
  const pick = (index) => {
    state.index = index;
    for (const listener of listeners) listener(index);
  };
  return { state, pick, listen: (f) => listeners.push(f) };
};

// Names and colours of the points.
const scatterKey = (data) => {
  const marks = data.coloured
    ? levelNames.map((name, i) => [name, `p${i}`, "dot"]).concat([["chosen", "ink", "ring"]])
    : [["chosen", "c1", "dot"], ["not chosen", "p0", "dot"]];
  return data.values ? marks.concat([["picked", "c4", "ring"]]) : marks;
};

const circle = (ctx, x, y, radius) => {
  ctx.moveTo(x + radius, y);
  ctx.arc(x, y, radius, 0, 7);
};

// A point per feature at `xs` and `ys`, either of which may be null. `shared` is the page's data, decision, table and
// picking; the rest goes to the plot.
const scatter = (at, { data, decided, table, picked }, xs, ys, more) => {
  const { state } = decided;
  const p = data.coloured ? decided.column("probability") : null;
  const level = p ? Uint8Array.from(p, (x) => levels.filter((bound) => x > bound).length) : null;
  // uPlot needs ascending places
  const order = data.names.map((_, i) => i).filter((i) => isNumber(xs[i]) && isNumber(ys[i]));
  order.sort((a, b) => xs[a] - xs[b] || a - b);
  const size = order.length > 5000 ? 1.6 : order.length > 500 ? 2.2 : 3;
  const draw = (u, from, to) => {
    const { ctx } = u;
    const r = size * devicePixelRatio;
    const place = (i) => [u.valToPos(xs[i], "x", true), u.valToPos(ys[i], "y", true)];
    for (const big of [0, 1]) {
      for (let g = 0; g < (p ? levelNames.length : 2); g++) {
        ctx.fillStyle = colour(p ? `p${g}` : g ? "c1" : "p0");
        ctx.beginPath();
        for (let at = from; at <= to; at++) {
          const i = order[at];
          if (state.chosen[i] !== big || (p ? level[i] : state.chosen[i]) !== g) continue;
          circle(ctx, ...place(i), big ? 1.8 * r : r);
        }
        ctx.fill();
        if (big && p && state.count < 3000) {
          ctx.strokeStyle = colour("ink");
          ctx.lineWidth = 0.8 * devicePixelRatio;
          ctx.stroke();
        }
      }
    }
    const i = picked.state.index;
    if (i === null || !isNumber(xs[i]) || !isNumber(ys[i])) return;
    ctx.strokeStyle = colour("c4");
    ctx.lineWidth = 2 * devicePixelRatio;
    ctx.beginPath();
    circle(ctx, ...place(i), 3 * r);
    ctx.stroke();
  };
  const series = {
    points: { show: false },
    stroke: () => colour("c1"),
    paths: (u, s, from, to) => {
      const { ctx, bbox } = u;
      const r = 2 * size * devicePixelRatio;
      ctx.save();
      ctx.beginPath();
      ctx.rect(bbox.left - r, bbox.top - r, bbox.width + 2 * r, bbox.height + 2 * r);
      ctx.clip();
      draw(u, from, to);
      ctx.restore();
      return null;
    },
  };
  // The point nearest to the pointer, of those near enough.
  const nearest = (u, s, index) => {
    if (s === 0 || index === null) return index;
    const { left, top } = u.cursor;
    const reach = 12;
    const [low, high] = [u.posToVal(left - reach, "x"), u.posToVal(left + reach, "x")];
    let [best, least] = [null, reach * reach];
    for (let at = 0; at < order.length; at++) {
      const i = order[at];
      if (xs[i] < low) continue;
      if (xs[i] > high) break;
      const [dx, dy] = [u.valToPos(xs[i], "x") - left, u.valToPos(ys[i], "y") - top];
      const d = dx * dx + dy * dy;
      if (d < least) [best, least] = [at, d];
    }
    return best;
  };
  const lines = (i) => [
    brief(data.names[i], 60),
    ...data.columns.map((c) => `${c.head} ${c.key === "partner" ? (c.values[i] === null ? "–" : brief(data.names[c.values[i]])) : number(c.values[i], c.digits)}`),
    `rank ${data.rank[i]}${state.chosen[i] ? ", chosen" : ""}`,
  ];
  const u = plot(at, {
    data: [order.map((i) => xs[i]), order.map((i) => ys[i])],
    series: [series],
    nearest,
    describe: (at) => lines(order[at]),
    ...more,
  });
  let down = null;
  u.over.addEventListener("mousedown", (e) => (down = [e.clientX, e.clientY]));
  u.over.addEventListener("click", (e) => {
    const at = u.cursor.idxs[1];
    if (!down || Math.hypot(e.clientX - down[0], e.clientY - down[1]) >= 4 || at === null || at === undefined) return;
    table.search(data.names[order[at]]);
    picked.pick(order[at]);
  });
  decided.listen(() => u.redraw(false));
  picked.listen(() => u.redraw(false));
  return u;
};
