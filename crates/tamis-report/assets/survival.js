// Kaplan–Meier curves of the rows below and above the median of a feature, and the rows at risk.

const drawSurvival = (parent, data, feature, told) => {
  const { times, risk_times: risk } = data.values;
  const { median, curves } = feature.figure;
  const names = curves.length > 1 ? [`at or below the median ${median}`, `above ${median}`] : ["all rows: none is above the median"];
  const x = [0, ...times];
  const shares = curves.map(survivalOf(x.length));
  const at = frame(parent, {
    title: oneTitle(data, feature),
    key: names.map((name, i) => [`${name} (${plural(curves[i].rows, "row")}, ${plural(curves[i].events, "event")})`, hue(i)]),
    words: told && `${told} for each unit of the feature; ticks are censored rows.`,
  });
  const u = plot(at, {
    data: [x, ...shares],
    series: curves.map((_, i) => line(hue(i), { paths: uPlot.paths.stepped({ align: 1 }), spanGaps: false })),
    x: brief(data.target, 32) || "time",
    y: "share without the event",
    height: 320,
    range: [0, 1.02 * (x[x.length - 1] || 1)],
    rangeY: [0, 1.03],
    hooks: { draw: curves.map((curve, i) => censorMarks(x, shares[i], curve.censored, hue(i))) },
    describe: (i) => [`time ${+x[i].toPrecision(5)}`, ...shares.map((s, k) => `${curves.length > 1 ? (k ? "above" : "at or below") : "all"} ${number(s[i], 3)}`)],
  });
  const heads = risk.map((time) => el("th", { scope: "col" }, String(time)));
  const rows = curves.map((curve, i) => {
    const mark = el("i");
    mark.style.setProperty("--mark", `var(--${hue(i)})`);
    const name = curves.length > 1 ? (i ? "above" : "at or below") : "all";
    return el("tr", {}, el("th", { scope: "row" }, mark, name), ...curve.at_risk.map((n) => el("td", {}, count(n))));
  });
  const head = el("tr", {}, el("th", { scope: "col" }, "at risk at"), ...heads);
  at.body.after(el("table", { class: "risk" }, el("thead", {}, head), el("tbody", {}, ...rows)));
  return u;
};

// The share at time 0 and at every time up to the last row of a curve, from its steps.
const survivalOf = (length) => ({ steps: [positions, values], last }) => {
  const shares = new Array(length).fill(null);
  let [next, share] = [0, 1];
  shares[0] = 1;
  for (let at = 0; at <= last; at++) {
    if (positions[next] === at) share = values[next++];
    shares[at + 1] = share;
  }
  return shares;
};

const censorMarks = (x, shares, censored, hueName) => (u) => {
  const { ctx, bbox } = u;
  const size = 4 * devicePixelRatio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top - size, bbox.width, bbox.height + 2 * size);
  ctx.clip();
  ctx.strokeStyle = colour(hueName);
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.beginPath();
  for (const at of censored) {
    const [cx, cy] = [u.valToPos(x[at + 1], "x", true), u.valToPos(shares[at + 1], "y", true)];
    ctx.moveTo(cx, cy - size);
    ctx.lineTo(cx, cy + size);
  }
  ctx.stroke();
  ctx.restore();
};
