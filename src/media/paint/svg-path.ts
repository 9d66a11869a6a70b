export function pathOf(contours: readonly (readonly number[])[], scale = 1): string {
  let way = '';
  for (const points of contours) {
    for (let at = 0; at + 1 < points.length; at += 2) {
      const [x, y] = [Math.round((points[at] as number) * scale), Math.round((points[at + 1] as number) * scale)];
      way += `${at === 0 ? 'M' : 'L'}${x} ${y}`;
    }
    way += 'Z';
  }
  return way;
}

export function svgOf(size: { width: number; height: number }, content: string): Buffer {
  const { width, height } = size;
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"`;
  return Buffer.from(`${head} viewBox="0 0 ${width} ${height}">${content}</svg>`);
}
