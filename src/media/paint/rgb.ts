export type Rgb = number;

export function parseHexColor(hex: string): Rgb {
  return Number.parseInt(hex.slice(1), 16);
}

export function luma(colour: Rgb): number {
  return ((colour >> 16) * 77 + ((colour >> 8) & 255) * 150 + (colour & 255) * 29) >> 8;
}

export function saturate(colour: Rgb, amount: number): Rgb {
  const grey = luma(colour);
  const part = (shift: number) => clamp(grey + (((colour >> shift) & 255) - grey) * amount) << shift;
  return part(16) | part(8) | part(0);
}

/** `amount` is from -1 (almost black) to 1 (white). */
export function adjustLightness(colour: Rgb, amount: number): Rgb {
  return amount < 0 ? blend(colour, 0x05060c, -amount) : blend(colour, 0xffffff, amount);
}

export function adjustContrast(colour: Rgb, amount: number): Rgb {
  const part = (shift: number) => clamp(128 + (((colour >> shift) & 255) - 128) * amount) << shift;
  return part(16) | part(8) | part(0);
}

export function gradientColorAt(stops: readonly Rgb[], share: number): Rgb {
  const place = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const index = Math.min(Math.floor(place), stops.length - 2);
  return blend(stops[index] ?? 0, stops[index + 1] ?? 0, place - index);
}

function clamp(value: number): number {
  return value < 0 ? 0 : value > 255 ? 255 : Math.round(value);
}

export function blend(from: Rgb, to: Rgb, share: number): Rgb {
  const part = (shift: number) => {
    const low = (from >> shift) & 255;
    return Math.round(low + (((to >> shift) & 255) - low) * share) << shift;
  };
  return part(16) | part(8) | part(0);
}

export function formatHexColor(colour: Rgb): string {
  return `#${colour.toString(16).padStart(6, '0')}`;
}

export function svgPathData(contours: readonly (readonly number[])[], scale = 1): string {
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

export function svgDocument(size: { width: number; height: number }, content: string): Buffer {
  const { width, height } = size;
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"`;
  return Buffer.from(`${head} viewBox="0 0 ${width} ${height}">${content}</svg>`);
}
