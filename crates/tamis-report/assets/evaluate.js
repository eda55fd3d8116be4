// A comparison of methods: what they err, what they select, how steadily.

const drawEvaluation = (data) => {
  const parent = document.querySelector("#evaluate .figures");
  const runs = data.runs;
  const several = data.inputs.length > 1;
  const labels = [...new Set(runs.map((r) => r.label))];
  const hueOf = (run) => hue(labels.indexOf(run.label));
  const fileOf = (input) => brief(String(data.inputs[input]?.file ?? "").split(/[\\/]/).pop(), 40);
  const inputs = [...new Set(runs.map((r) => r.input))];
  for (const input of inputs) {
    const mine = runs.filter((r) => r.input === input);
    const suffix = several ? `, ${fileOf(input)}` : "";
    drawRoc(parent, mine, hueOf, suffix);
    drawCalibration(parent, mine, hueOf, suffix);
    drawAgainst(parent, mine, hueOf, "auc", "AUC", suffix);
    drawAgainst(parent, mine, hueOf, "error", "error", suffix);
    drawStability(parent, mine, hueOf, suffix);
    drawFrequency(parent, mine, suffix);
  }
  if (data.comparison?.friedman) drawRanks(parent, data.comparison.friedman);
  if (data.comparison?.pairs?.length) parent.append(pairTable(data.comparison.pairs));
};

const drawRoc = (parent, runs, hueOf, suffix) => {
  const drawn = runs.filter((r) => r.roc.length > 1);
  if (!drawn.length) return;
  // The curve, or an end of its interval, by false positive rate.
  const curve = (run, height) => run.roc.map((p) => [p.false_positive_rate, height(p)]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  // All on one grid of false positive rates; at a step the curve takes its upper end.
  const grid = Array.from({ length: 201 }, (_, i) => i / 200);
  const at = (points, x) => {
    let [low, high] = [points[0], points[points.length - 1]];
    for (const p of points) {
      if (p[0] <= x) low = p;
      else {
        high = p;
        break;
      }
    }
    return high[0] > low[0] && low[0] <= x && high[0] > x ? low[1] + ((high[1] - low[1]) * (x - low[0])) / (high[0] - low[0]) : low[1];
  };
  const onGrid = (run, height) => {
    const points = curve(run, height);
    return grid.map((x) => (x === 0 ? points[0][1] : at(points, x)));
  };
  const values = drawn.map((run) => onGrid(run, (p) => p.true_positive_rate));
  const banded = drawn.length <= 6 && drawn.every((run) => run.roc.every((p) => p.interval_95));
  const data = [grid, ...values, grid];
  const series = drawn.map((r) => line(hueOf(r)));
  series.push(line("soft", { dash: [4, 4], width: 1 }));
  const bands = [];
  if (banded) {
    for (const run of drawn) {
      data.push(onGrid(run, (p) => p.interval_95[1]), onGrid(run, (p) => p.interval_95[0]));
      series.push(line("soft", { width: 0 }), line("soft", { width: 0 }));
      bands.push({ series: [data.length - 2, data.length - 1], fill: () => colour(hueOf(run)) + "1c" });
    }
  }
  const frameAt = frame(parent, { title: `ROC curves${suffix}`, key: drawn.map((r) => [r.label, hueOf(r)]), words: banded ? "Bands: 95 %, point by point, from the number of positive rows." : "" });
  plot(frameAt, {
    data,
    series,
    bands,
    x: "false positive rate",
    y: "true positive rate",
    height: 320,
    range: [0, 1],
    rangeY: [0, 1.01],
    describe: (i) => [`false positive rate ${number(grid[i], 2)}`, ...drawn.map((r, k) => `${brief(r.label)} ${number(values[k][i], 3)}`)],
  });
};

const drawCalibration = (parent, runs, hueOf, suffix) => {
  const drawn = runs.filter((r) => r.calibration.some((c) => c.count > 0));
  if (!drawn.length) return;
  const curves = drawn.map((r) => {
    const used = r.calibration.filter((c) => c.count > 0 && isNumber(c.predicted) && isNumber(c.observed)).sort((a, b) => a.predicted - b.predicted);
    return [used.map((c) => c.predicted), used.map((c) => c.observed)];
  });
  const table = joined([...curves, [[0, 1], [0, 1]]]);
  const at = frame(parent, { title: `Calibration${suffix}`, key: drawn.map((r) => [r.label, hueOf(r)]), words: "On the diagonal, of rows given a probability of 0.3 three in ten are positive." });
  plot(at, {
    data: table,
    series: [...drawn.map((r) => line(hueOf(r), { points: { show: true, size: 6, fill: () => colour(hueOf(r)) } })), line("soft", { dash: [4, 4], width: 1 })],
    x: "predicted",
    y: "observed",
    height: 320,
    range: [0, 1],
    rangeY: [-0.02, 1.02],
    describe: (i) => [`predicted ${number(table[0][i], 2)}`, ...drawn.map((r, k) => (isNumber(table[k + 1][i]) ? `${brief(r.label)} observed ${number(table[k + 1][i], 2)}` : null)).filter(Boolean)],
  });
};

// Each run at its number of features, with its folds as faint points.
const drawAgainst = (parent, runs, hueOf, measure, name, suffix) => {
  const drawn = runs
    .map((run) => {
      const s = run.summary ?? {};
      const interval = s[`${measure}_95`] ?? (isNumber(s[`${measure}_se`]) ? [s[measure] - 1.96 * s[`${measure}_se`], s[measure] + 1.96 * s[`${measure}_se`]] : null);
      const folds = run.folds.map((f) => [f.n_selected, f[measure]]).filter(([a, b]) => isNumber(a) && isNumber(b));
      return { run, x: s.n_selected, y: s[measure], interval, folds };
    })
    .filter((d) => isNumber(d.x) && isNumber(d.y))
    .sort((a, b) => a.x - b.x);
  if (!drawn.length) return;
  const every = drawn.flatMap((d) => [d.y, ...(d.interval ?? []), ...d.folds.map((f) => f[1])]);
  const wide = drawn.flatMap((d) => [d.x, ...d.folds.map((f) => f[0])]);
  const [low, high] = extent(wide.filter((x) => x >= 0));
  // Numbers of features differ by orders of magnitude: the axis is logarithmic where they do.
  const log = low > 0 && high / low > 20;
  const place = (x) => (log ? Math.log10(x) : x);
  const pad = 0.08 * (place(high) - place(log ? low : 0) || 1);
  const at = frame(parent, { title: `${name === "AUC" ? "AUC" : "Error"} against the number of features${suffix}`, key: drawn.map((d) => [d.run.label, hueOf(d.run), "dot"]), words: "Small points are folds; whiskers are 95 %." });
  const marks = (u) => {
    for (const d of drawn) {
      const h = hueOf(d.run);
      const { ctx } = u;
      ctx.save();
      ctx.globalAlpha = 0.35;
      dots(d.folds.map(([x, y]) => [place(x), y]), h, 2)(u);
      ctx.restore();
      if (d.interval) {
        ctx.save();
        ctx.strokeStyle = colour(h);
        ctx.lineWidth = 2 * devicePixelRatio;
        const x = u.valToPos(place(d.x), "x", true);
        ctx.beginPath();
        ctx.moveTo(x, u.valToPos(d.interval[0], "y", true));
        ctx.lineTo(x, u.valToPos(d.interval[1], "y", true));
        ctx.stroke();
        ctx.restore();
      }
      dots([[place(d.x), d.y]], h, 5)(u);
    }
  };
  const ends = padded(every);
  const u = plot(at, {
    data: [drawn.map((d) => place(d.x)), drawn.map((d) => d.y)],
    series: [{ points: { show: false }, paths: () => null, stroke: () => colour("c1") }],
    x: log ? "features selected (logarithmic)" : "features selected",
    y: name,
    range: [place(log ? low : 0) - pad, place(high) + pad],
    rangeY: [Math.max(-0.02, ends[0]), Math.min(1.02, ends[1])],
    hooks: { draw: [marks] },
    describe: (i) => [brief(drawn[i].run.label, 60), `${name} ${number(drawn[i].y, 3)}`, `features ${number(drawn[i].x, 1)}`],
  });
  if (log) {
    const round = [1, 2, 5].flatMap((m) => [0, 1, 2, 3, 4, 5, 6].map((e) => m * 10 ** e)).sort((a, b) => a - b);
    u.axes[0].splits = (v, at, from, to) => round.map(Math.log10).filter((s) => s >= from && s <= to);
    u.axes[0].values = (v, splits) => splits.map((s) => (splits.length > 6 && Math.abs(s - Math.round(s)) > 1e-9 ? "" : String(Math.round(10 ** s))));
    u.redraw(false, true);
  }
};

const SVG = "http://www.w3.org/2000/svg";
const svg = (tag, attributes = {}, text) => {
  const node = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
};

const picture = (at, width, height, label) => {
  const node = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, width: "100%" });
  node.style.maxWidth = `${width}px`;
  node.style.minWidth = `${0.75 * width}px`;
  at.body.append(node);
  return node;
};

const drawStability = (parent, runs, hueOf, suffix) => {
  const drawn = runs.map((run) => ({ run, s: run.summary?.stability })).filter(({ s }) => isNumber(s?.nogueira?.stability) || isNumber(s?.kuncheva));
  if (!drawn.length) return;
  const at = frame(parent, { title: `Stability of the selection over folds${suffix}`, words: "1: every fold selects the same features; 0: as alike as chance. Bars are 95 %." });
  const [left, width, step] = [190, 460, 28];
  const node = picture(at, width, drawn.length * step + 34, "Stability of each run");
  const lowest = Math.min(0, ...drawn.map(({ s }) => s.nogueira?.interval_95?.[0] ?? s.nogueira?.stability ?? s.kuncheva));
  const x = (v) => left + ((v - lowest) / (1 - lowest)) * (width - left - 16);
  const bottom = drawn.length * step + 8;
  for (const v of [0, 0.25, 0.5, 0.75, 1]) {
    node.append(svg("line", { class: "thin", x1: x(v), x2: x(v), y1: 4, y2: bottom }), svg("text", { x: x(v), y: bottom + 18, "text-anchor": "middle", class: "soft" }, String(v)));
  }
  drawn.forEach(({ run, s }, i) => {
    const y = 8 + i * step + step / 2;
    const value = s.nogueira?.stability ?? s.kuncheva;
    node.append(svg("text", { x: left - 10, y: y + 4, "text-anchor": "end" }, brief(run.label, 26)));
    if (s.nogueira?.interval_95) {
      const bar = svg("line", { x1: x(s.nogueira.interval_95[0]), x2: x(s.nogueira.interval_95[1]), y1: y, y2: y, "stroke-width": 2 });
      bar.style.stroke = `var(--${hueOf(run)})`;
      node.append(bar);
    }
    const mark = svg("circle", { cx: x(value), cy: y, r: 5 });
    mark.style.fill = `var(--${hueOf(run)})`;
    mark.append(svg("title", {}, `${clean(run.label)}: ${number(value, 2)}`));
    node.append(mark);
  });
};

// How often each feature was selected: a run at a time.
const drawFrequency = (parent, runs, suffix) => {
  const drawn = runs.filter((r) => r.frequency.some((f) => f.frequency > 0));
  if (!drawn.length) return;
  const at = frame(parent, { title: `How often each feature was selected${suffix}` });
  const list = el("div", { class: "frequencies" });
  const show = (run) => {
    const top = run.frequency.filter((f) => f.frequency > 0).sort((a, b) => b.frequency - a.frequency).slice(0, 20);
    const [left, width, step] = [190, 460, 20];
    list.replaceChildren();
    const node = picture({ body: list }, width, top.length * step + 8, `Share of folds that selected each feature, ${clean(run.label)}`);
    top.forEach((f, i) => {
      const y = 4 + i * step;
      node.append(
        svg("text", { x: left - 10, y: y + 14, "text-anchor": "end" }, brief(f.name, 24)),
        svg("rect", { class: "bar", x: left, y: y + 3, width: Math.max(1, f.frequency * (width - left - 50)), height: step - 6 }),
        svg("text", { x: left + 6 + f.frequency * (width - left - 50), y: y + 14, class: "soft" }, number(f.frequency, 2)),
      );
    });
    const more = run.frequency.filter((f) => f.frequency > 0).length - top.length;
    if (more > 0) list.append(el("p", { class: "words" }, `and ${more} more, selected no more often`));
  };
  if (drawn.length > 1) {
    const picker = el("select", { "aria-label": "run" }, ...drawn.map((r, i) => el("option", { value: i }, brief(r.label))));
    picker.addEventListener("change", () => show(drawn[+picker.value]));
    at.tools.append(picker);
  }
  at.body.append(list);
  show(drawn[0]);
};

// Average ranks on a line; runs that a bar joins do not differ (Demšar 2006).
const drawRanks = (parent, friedman) => {
  const ranks = (friedman.average_ranks ?? []).map((r) => (Array.isArray(r) ? r : [r.label ?? "", r.rank])).filter(([, r]) => isNumber(r)).sort((a, b) => a[1] - b[1]);
  if (ranks.length < 2) return;
  const cd = friedman.critical_difference_nemenyi;
  const at = frame(parent, { title: "Critical difference", wide: true, words: `Average ranks, 1 is best. ${isNumber(cd) ? "Runs joined by a bar do not differ at the 5 % level (Nemenyi)." : ""} ${isNumber(friedman.chi_square_p) ? `Friedman's test: p ${number(friedman.chi_square_p, 3)}.` : ""}` });
  const [width, side, lineHeight] = [760, 230, 24];
  const half = Math.ceil(ranks.length / 2);
  const groups = [];
  if (isNumber(cd)) {
    ranks.forEach(([, r], i) => {
      let j = i;
      while (j + 1 < ranks.length && ranks[j + 1][1] - r < cd) j += 1;
      if (j > i && !groups.some(([, end]) => end >= j)) groups.push([i, j]);
    });
  }
  const top = 62;
  const first = top + 18 + groups.length * 10;
  const node = picture(at, width, first + half * lineHeight + 14, `Average ranks: ${ranks.map(([l, r]) => `${clean(l)} ${number(r, 2)}`).join(", ")}`);
  const last = ranks.length;
  const x = (r) => side + ((r - 1) / Math.max(1, last - 1)) * (width - 2 * side);
  node.append(svg("line", { x1: x(1), x2: x(last), y1: top, y2: top }));
  for (let r = 1; r <= last; r++) node.append(svg("line", { x1: x(r), x2: x(r), y1: top - 5, y2: top }), svg("text", { x: x(r), y: top - 10, "text-anchor": "middle", class: "soft" }, String(r)));
  if (isNumber(cd)) {
    const end = Math.min(x(1) + (x(2) - x(1)) * cd, width - 4);
    node.append(svg("line", { x1: x(1), x2: end, y1: 18, y2: 18, "stroke-width": 2 }), svg("text", { x: (x(1) + end) / 2, y: 12, "text-anchor": "middle" }, `critical difference ${number(cd, 2)}`));
  }
  groups.forEach(([i, j], g) => node.append(svg("line", { x1: x(ranks[i][1]) - 3, x2: x(ranks[j][1]) + 3, y1: top + 10 + g * 10, y2: top + 10 + g * 10, "stroke-width": 4 })));
  ranks.forEach(([label, r], i) => {
    const onLeft = i < half;
    const y = first + (onLeft ? i : last - 1 - i) * lineHeight + 10;
    const edge = onLeft ? side - 14 : width - side + 14;
    node.append(svg("path", { d: `M${x(r)},${top} V${y} H${edge}` }));
    node.append(svg("text", { x: edge + (onLeft ? -6 : 6), y: y + 4, "text-anchor": onLeft ? "end" : "start" }, `${brief(label, 24)} (${number(r, 2)})`));
  });
};

const pairTable = (pairs) => {
  const columns = [["difference", "difference in error"], ["paired_t_p", "p, paired t"], ["wilcoxon_p", "p, Wilcoxon"], ["discordant_p", "p, discordant rows"]].filter(([key]) => pairs.some((p) => isNumber(p[key])));
  const head = el("tr", {}, el("th", { scope: "col", class: "text" }, "run"), el("th", { scope: "col", class: "text" }, "against"), ...columns.map(([, name]) => el("th", { scope: "col" }, name)));
  const rows = pairs.map((p) => el("tr", {}, el("th", { scope: "row" }, brief(p.a, 40)), el("td", { class: "text" }, brief(p.b, 40)), ...columns.map(([key]) => el("td", {}, number(p[key], 3)))));
  return el("figure", { class: "wide" }, el("figcaption", {}, el("h3", {}, "Run against run")), el("div", { class: "scroll", tabindex: "0" }, el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows))));
};
