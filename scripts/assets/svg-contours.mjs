/**
 * The contours of a path of `svgpath` as flat lists of points, x and y in turn. `linesOf` says how many straight
 * lines a cubic curve becomes, given where it starts, and its two controls and end.
 */
export function contoursOf(drawn, linesOf) {
  const contours = [];
  drawn
    .abs()
    .unarc()
    .unshort()
    .iterate(([kind, ...values], _index, x, y) => {
      if (kind === 'M') contours.push([...values]);
      if (kind === 'L') contours.at(-1).push(...values);
      if (kind === 'H') contours.at(-1).push(values[0], y);
      if (kind === 'V') contours.at(-1).push(x, values[0]);
      if (kind === 'C') contours.at(-1).push(...straight([x, y], values, linesOf));
      if (kind === 'Q') contours.at(-1).push(...straight([x, y], cubic([x, y], values), linesOf));
    });
  return contours.filter((points) => points.length > 4);
}

function straight([x, y], curve, linesOf) {
  const [x1, y1, x2, y2, endX, endY] = curve;
  const lines = linesOf([x, y], curve);
  const points = [];
  for (let line = 1; line <= lines; line++) {
    const t = line / lines;
    const s = 1 - t;
    const [a, b, c, d] = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
    points.push(a * x + b * x1 + c * x2 + d * endX, a * y + b * y1 + c * y2 + d * endY);
  }
  return points;
}

function cubic([x, y], [cx, cy, endX, endY]) {
  const near = (from, control) => from + ((control - from) * 2) / 3;
  return [near(x, cx), near(y, cy), near(endX, cx), near(endY, cy), endX, endY];
}
