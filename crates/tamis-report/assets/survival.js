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
    words: told ? `${told} for each unit of the feature; ticks are censored rows.` : "Ticks are censored rows.",
  });
  const u = plot(at, {
    data: [x, ...shares],
    series: curves.map((_, i) => line(hue(i), { paths: uPlot.paths.stepped({ align: 1 }), spanGaps: false })),
    x: brief(data.target, 32) || "time",
    y: "share without the event",
    height: 326 + LINE * curves.length,
    range: [0, 1.02 * (x[x.length - 1] || 1)],
    rangeY: [0, 1.03],
    xAxis: { labelSize: 26 + LINE * curves.length, splits: (u, a, low, high, step) => (u.zoomed ? multiples(low, high, step) : risk) },
    hooks: { draw: [...curves.map((curve, i) => censorMarks(x, shares[i], curve.censored, hue(i))), riskNumbers(risk, curves)] },
    describe: (i) => [`time ${+x[i].toPrecision(5)}`, ...shares.map((s, k) => `${halfName(curves, k)} ${number(s[i], 3)}`)],
  });
  // the numbers on the canvas again, for readers who cannot see them
  const row = (name, cells) => el("tr", {}, el("th", { scope: "row" }, name), ...cells.map((c) => el("td", {}, String(c))));
  const rows = [row("rows at risk at time", risk), ...curves.map((curve, i) => row(halfName(curves, i), curve.at_risk))];
  at.node.append(el("div", { class: "risk away" }, el("table", {}, ...rows)));
  return u;
};

const halfName = (curves, i) => (curves.length > 1 ? ["at or below", "above"][i] : "all");

const multiples = (low, high, step) => {
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.max(0, Math.floor(high / step) - first + 1) }, (_, i) => (first + i) * step);
};

// Height of a line of numbers under the plot, in pixels.
const LINE = 16;

// How many rows are at risk, under their times and in the colours of the curves.
const riskNumbers = (risk, curves) => (u) => {
  const { ctx, bbox } = u;
  const dpr = devicePixelRatio;
  ctx.save();
  ctx.font = `${12 * dpr}px system-ui, sans-serif`;
  ctx.textBaseline = "top";
  curves.forEach(({ at_risk: numbers }, i) => {
    const y = bbox.top + bbox.height + (48 + LINE * i) * dpr;
    ctx.textAlign = "left";
    ctx.fillStyle = colour("soft");
    if (i === 0) ctx.fillText("at risk", 0, y);
    ctx.textAlign = "center";
    ctx.fillStyle = colour(hue(i));
    risk.forEach((time, k) => {
      const place = u.valToPos(time, "x", true);
      if (place >= bbox.left - 1 && place <= bbox.left + bbox.width + 1) ctx.fillText(count(numbers[k]), place, y);
    });
  });
  ctx.restore();
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
