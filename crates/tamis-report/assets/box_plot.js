// A box per class: quartiles, whiskers, and the rows themselves where they are few.

const drawBoxes = (parent, data, feature, told) => {
  const { labels, all } = data.values;
  const boxes = feature.figure;
  const n = labels.length;
  const at = frame(parent, {
    title: oneTitle(data, feature),
    key: [["box: quartiles and median", "c1", "box"], [all ? "rows" : "rows beyond the whiskers", "ink", "dot"]],
    words: told && n === 2 && data.positive ? `${told}, ${brief(data.positive, 24)} minus ${brief(labels.find((l) => l !== data.positive) ?? "", 24)}.` : "",
  });
  const places = labels.map((_, k) => k);
  const values = boxes.flatMap((b) => (b ? b.marks.concat(b.points) : []));
  const half = Math.min(0.3, 0.08 * n);
  const label = (u, k) => {
    const room = Math.max(2, Math.floor((u.width - 70) / n / 8) - 1);
    return boxes[k] ? brief(labels[k], room) : brief(`${labels[k]} (no values)`, room);
  };
  return plot(at, {
    data: [places, boxes.map((b) => b?.marks[2] ?? null)],
    series: [{ points: { show: false }, paths: () => null, stroke: () => colour("c1") }],
    x: brief(data.target, 32) || "class",
    y: data.value,
    height: 320,
    range: [-0.6, n - 0.4],
    rangeY: padded(values),
    xAxis: { splits: () => places, values: (u, at) => at.map((k) => label(u, k)), grid: { show: false } },
    hooks: { draw: [(u) => boxes.forEach((b, k) => b && drawBox(u, b, k, half))] },
    describe: (k) => {
      const b = boxes[k];
      if (!b) return [brief(labels[k], 60), "no values"];
      const [, lower, median, upper] = b.marks;
      return [brief(labels[k], 60), plural(b.rows, "row"), `median ${median}`, `quartiles ${lower} and ${upper}`];
    },
  });
};

const drawBox = (u, { marks, points }, k, half) => {
  const { ctx, bbox } = u;
  const x = (at) => u.valToPos(at, "x", true);
  const [low, lower, median, upper, high] = marks.map((v) => u.valToPos(v, "y", true));
  const [left, middle, right] = [x(k - half), x(k), x(k + half)];
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.fillStyle = colour("band");
  ctx.fillRect(left, upper, right - left, lower - upper);
  ctx.strokeStyle = colour("c1");
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.strokeRect(left, upper, right - left, lower - upper);
  ctx.beginPath();
  for (const [end, from] of [[low, lower], [high, upper]]) {
    ctx.moveTo(middle, from);
    ctx.lineTo(middle, end);
    ctx.moveTo((left + middle) / 2, end);
    ctx.lineTo((right + middle) / 2, end);
  }
  ctx.stroke();
  ctx.beginPath();
  ctx.lineWidth = 3 * devicePixelRatio;
  ctx.moveTo(left, median);
  ctx.lineTo(right, median);
  ctx.stroke();
  ctx.fillStyle = colour("ink");
  ctx.globalAlpha = 0.6;
  ctx.beginPath();
  // Spread sideways in a fixed way, so that a printed page looks like the screen.
  points.forEach((v, i) => circle(ctx, x(k + half * 1.2 * (((i + 1) * 0.618034) % 1) - half * 0.6), u.valToPos(v, "y", true), 2.2 * devicePixelRatio));
  ctx.fill();
  ctx.restore();
};
