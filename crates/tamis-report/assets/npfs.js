// Bootstraps: the selection matrix, frequencies, and what chance does.

const drawNpfs = (data, decided) => {
  const parent = document.querySelector("#npfs .figures");
  const { npfs } = data;
  const runs = npfs.bootstraps;
  drawMatrix(parent, data, decided);

  const order = data.names.map((_, i) => i).filter((i) => npfs.counts[i] > 0).sort((a, b) => npfs.frequency[b] - npfs.frequency[a] || data.rank[a] - data.rank[b]).slice(0, 300);
  if (order.length) {
    const critical = isNumber(npfs.critical_value) ? npfs.critical_value / runs : null;
    const rank = order.map((_, i) => i + 1);
    const f = order.map((i) => npfs.frequency[i]);
    const h = npfs.half_width;
    const key = [["chosen", "c1", "dot"], ["not chosen", "p1", "dot"], ["95 % interval", "band", "box"]];
    if (critical !== null) key.push(["must exceed", "c2", "dash"]);
    const at = frame(parent, { title: "How often each feature was chosen", key, words: critical === null ? "With permuted targets, what a feature explains alone counts too: no single frequency decides." : "" });
    const u = plot(at, {
      data: [rank, f, f.map((x) => Math.min(1, x + h)), f.map((x) => Math.max(0, x - h))],
      series: [
        { points: { show: false }, paths: () => null, stroke: () => colour("c1") },
        line("band", { width: 0 }),
        line("band", { width: 0 }),
      ],
      bands: [{ series: [2, 3], fill: () => colour("band") }],
      x: "features, most often chosen first",
      y: "share of bootstraps",
      whole: true,
      range: [0.3, order.length + 0.7],
      rangeY: [-0.02, 1.02],
      hooks: {
        draw: [
          (v) => dots(rank.map((r, k) => [r, f[k]]).filter((_, k) => !decided.state.chosen[order[k]]), "p1", 2.5)(v),
          (v) => dots(rank.map((r, k) => [r, f[k]]).filter((_, k) => decided.state.chosen[order[k]]), "c1", 3.5)(v),
          rule("y", critical, "c2"),
        ],
      },
      describe: (k) => [brief(data.names[order[k]], 60), `chosen in ${npfs.counts[order[k]]} of ${runs}`],
    });
    decided.listen(() => u.redraw(false));
  }

  drawNull(parent, npfs);
  const rows = [
    ["features chosen by a bootstrap", number(npfs.mean_chosen, 1)],
    ["chance of a blind choice", number(npfs.p0, 4)],
    ["agreement of bootstraps (Kuncheva)", number(npfs.kuncheva, 2)],
  ];
  if (isNumber(npfs.critical_value)) rows.push(["a count must exceed", `${npfs.critical_value} of ${runs}`]);
  parent.append(facts("The bootstraps in numbers", rows));
};

// What chance chooses: from permuted targets, or a coin; beside what was observed.
const drawNull = (parent, npfs) => {
  const runs = npfs.bootstraps;
  const observed = new Array(runs + 1).fill(0);
  for (const c of npfs.counts) if (c <= runs) observed[c] += 1;
  let chance = null;
  if (npfs.null_counts?.length) chance = npfs.null_counts;
  else if (npfs.p0 > 0 && npfs.p0 < 1 && runs <= 100000) {
    let log = runs * Math.log1p(-npfs.p0);
    const odds = Math.log(npfs.p0) - Math.log1p(-npfs.p0);
    chance = observed.map((_, k) => {
      const value = Math.exp(log);
      log += Math.log((runs - k) / (k + 1)) + odds;
      return value;
    });
  }
  const bins = Math.min(runs + 1, 51);
  const width = (runs + 1) / bins;
  const grouped = (counts) => {
    const total = counts.reduce((a, b) => a + b, 0) || 1;
    const out = new Array(bins).fill(0);
    counts.forEach((c, k) => (out[Math.min(bins - 1, Math.floor(k / width))] += c / total));
    return out;
  };
  const [mine, theirs] = [grouped(observed), chance ? grouped(chance) : null];
  // Most features are never chosen: shares span decades, so heights are logarithms.
  const all = mine.concat(theirs ?? []).filter((v) => v > 1e-6);
  const floor = Math.floor(Math.log10(Math.min(...all, 0.1)));
  const height = (v) => (v > 10 ** floor ? Math.log10(v) - floor : 0);
  const edges = Array.from({ length: bins + 1 }, (_, i) => i * width - 0.5);
  const key = [["observed", "bar", "box"]];
  if (theirs) key.push([npfs.null_counts?.length ? "targets permuted" : "blind choice", "c2"]);
  const at = frame(parent, { title: "Counts, and those of chance", key });
  const names = (v) => number(v, v < 0.01 ? 4 : 3);
  const u = plot(at, {
    data: [edges, edges.map(() => 0), [...(theirs ?? mine), (theirs ?? mine)[bins - 1]].map(height)],
    series: [bars(edges, mine.map(height), "bar"), line("c2", { show: theirs !== null, paths: uPlot.paths.stepped({ align: 1 }) })],
    x: `times chosen, of ${runs}`,
    y: "share of features",
    rangeY: [0, -floor + 0.1],
    range: [-0.5 - 0.01 * runs, runs + 0.5 + 0.01 * runs],
    describe: (i) => i < bins && [`chosen ${Math.ceil(edges[i])}${width > 1 ? "–" + Math.floor(edges[i + 1]) : ""} times`, `observed ${names(mine[i])}`, ...(theirs ? [`by chance ${names(theirs[i])}`] : [])],
  });
  u.axes[1].splits = () => Array.from({ length: 1 - floor }, (_, i) => i);
  u.axes[1].values = (v, splits) => splits.map((s) => String(+(10 ** (s + floor)).toFixed(8)));
  u.redraw(false, true);
};

// Features down, bootstraps across; the rows of chosen features are marked.
const drawMatrix = (parent, data, decided) => {
  const rows = data.npfs.picture ?? [];
  if (!rows.length) return;
  const columns = rows[0].runs.length;
  const at = frame(parent, {
    title: "When each feature was chosen",
    key: [["by a feature that is chosen in the end", "c1", "box"], ["by another", "bar", "box"]],
    wide: true,
    words: `${rows.length === 120 ? "The 120 features chosen most often" : "Every feature that was ever chosen"}, best rank first, down; ${columns} bootstraps across. A full row is a feature chosen every time.`,
  });
  const cellHeight = rows.length > 60 ? 5 : rows.length > 25 ? 8 : 14;
  const canvas = el("canvas", { role: "img", "aria-label": `Which of ${rows.length} features were chosen in which of ${columns} bootstraps` });
  at.body.append(canvas);
  const left = 90;
  const draw = () => {
    const width = Math.max(200, at.body.clientWidth);
    const height = rows.length * cellHeight + 4;
    const scale = devicePixelRatio || 1;
    canvas.width = width * scale;
    canvas.height = height * scale;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const ctx = canvas.getContext("2d");
    ctx.scale(scale, scale);
    const w = (width - left) / columns;
    const every = Math.ceil(13 / cellHeight);
    ctx.font = "11px system-ui, sans-serif";
    ctx.textBaseline = "middle";
    ctx.textAlign = "right";
    rows.forEach(({ index, runs }, r) => {
      const y = r * cellHeight;
      const chosen = decided.state.chosen[index];
      if (r % every === 0) {
        ctx.fillStyle = colour(chosen ? "ink" : "soft");
        ctx.fillText(brief(data.names[index], 12), left - 10, y + cellHeight / 2);
      }
      ctx.fillStyle = colour(chosen ? "c1" : "bar");
      if (chosen) ctx.fillRect(left - 6, y, 3, cellHeight);
      for (let b = 0; b < columns; b++) if (runs[b] === "1") ctx.fillRect(left + b * w, y + 0.5, Math.max(0.5, w - (w > 3 ? 0.7 : 0)), cellHeight - 1);
    });
  };
  canvas.addEventListener("mousemove", (e) => {
    const box = canvas.getBoundingClientRect();
    const r = Math.floor((e.clientY - box.top) / cellHeight);
    const b = Math.floor(((e.clientX - box.left - left) / (box.width - left)) * columns);
    const row = rows[r];
    if (!row) return tell(null);
    const lines = [brief(data.names[row.index], 60), `chosen in ${data.npfs.counts[row.index]} of ${data.npfs.bootstraps}`];
    if (b >= 0 && b < columns) lines.push(`bootstrap ${b + 1}: ${row.runs[b] === "1" ? "chosen" : "not chosen"}`);
    tell(lines, e.clientX, e.clientY);
  });
  canvas.addEventListener("mouseleave", () => tell(null));
  decided.listen(draw);
  redraws.push(draw);
  new ResizeObserver(draw).observe(at.body);
};
