// Every feature by position, coloured by probability; the chosen ones stand out.

const levels = [0.1, 0.5, 0.9, 0.99];
const levelNames = ["below 0.1", "0.1–0.5", "0.5–0.9", "0.9–0.99", "above 0.99"];

const drawFeatures = (data, decided, table) => {
  const parent = document.querySelector("#features .figures");
  const { state } = decided;
  const main = data.columns[0];
  const n = data.names.length;
  const position = Array.from({ length: n }, (_, i) => i + 1);
  const p = data.coloured ? decided.column("probability") : null;
  const level = p ? Uint8Array.from(p, (x) => levels.filter((bound) => x > bound).length) : null;
  const key = p
    ? levelNames.map((name, i) => [name, `p${i}`, "dot"]).concat([["chosen", "ink", "ring"]])
    : [["chosen", "c1", "dot"], ["not chosen", "p0", "dot"]];
  const at = frame(parent, {
    title: p ? "Score, coloured by the probability that the feature matters" : `${main.head[0].toUpperCase()}${main.head.slice(1)} of every feature`,
    key,
    wide: true,
    hint: "Drag over a part to see it larger, double-click for the whole; click on a point to find it in the table.",
  });
  const [low, high] = extent(main.values.concat(0));
  const pad = 0.06 * (high - low || 1);
  const size = n > 5000 ? 1.6 : n > 500 ? 2.2 : 3;
  const scatter = {
    points: { show: false },
    stroke: () => colour("c1"),
    paths: (u, s, from, to) => {
      const { ctx, bbox } = u;
      const r = size * devicePixelRatio;
      ctx.save();
      ctx.beginPath();
      ctx.rect(bbox.left - 2 * r, bbox.top - 2 * r, bbox.width + 4 * r, bbox.height + 4 * r);
      ctx.clip();
      const groups = p ? levelNames.length : 2;
      for (const big of [0, 1]) {
        for (let g = 0; g < groups; g++) {
          ctx.fillStyle = colour(p ? `p${g}` : g ? "c1" : "p0");
          ctx.beginPath();
          for (let i = from; i <= to; i++) {
            const v = main.values[i];
            if (v === null || state.chosen[i] !== big || (p ? level[i] !== g : state.chosen[i] !== g)) continue;
            const [cx, cy] = [u.valToPos(i + 1, "x", true), u.valToPos(v, "y", true)];
            const radius = big ? 1.8 * r : r;
            ctx.moveTo(cx + radius, cy);
            ctx.arc(cx, cy, radius, 0, 7);
          }
          ctx.fill();
          if (big && p && state.count < 3000) {
            ctx.strokeStyle = colour("ink");
            ctx.lineWidth = 0.8 * devicePixelRatio;
            ctx.stroke();
          }
        }
      }
      ctx.restore();
      return null;
    },
  };
  // The point nearest to the pointer, of those near enough.
  const nearest = (u, s, index) => {
    if (s === 0 || index === null) return index;
    const { left, top } = u.cursor;
    const reach = 12;
    const from = Math.max(0, Math.floor(u.posToVal(left - reach, "x")) - 2);
    const to = Math.min(n - 1, Math.ceil(u.posToVal(left + reach, "x")));
    let [best, least] = [null, reach * reach];
    for (let i = from; i <= to; i++) {
      if (main.values[i] === null) continue;
      const [dx, dy] = [u.valToPos(i + 1, "x") - left, u.valToPos(main.values[i], "y") - top];
      const d = dx * dx + dy * dy;
      if (d < least) [best, least] = [i, d];
    }
    return best;
  };
  const lines = (i) => [
    brief(data.names[i], 60),
    ...data.columns.map((c) => `${c.head} ${c.key === "with" ? (c.values[i] === null ? "–" : brief(data.names[c.values[i]])) : number(c.values[i], c.digits)}`),
    `rank ${data.rank[i]}${state.chosen[i] ? ", chosen" : ""}`,
  ];
  const u = plot(at, {
    data: [position, main.values],
    series: [scatter],
    x: "position in the file",
    y: main.head,
    whole: true,
    height: 340,
    range: [0.5 - 0.01 * n, n + 0.5 + 0.01 * n],
    rangeY: [low - pad, high + pad],
    nearest,
    describe: lines,
    points: false,
  });
  let down = null;
  u.over.addEventListener("mousedown", (e) => (down = [e.clientX, e.clientY]));
  u.over.addEventListener("click", (e) => {
    const i = u.cursor.idxs[1];
    if (down && Math.hypot(e.clientX - down[0], e.clientY - down[1]) < 4 && i !== null && i !== undefined) table.search(data.names[i]);
  });
  decided.listen(() => u.redraw(false));
};
