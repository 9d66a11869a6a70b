import { blend, type Rgb } from './palette.ts';

/** Reads `#rrggbb`. */
export function rgb(hex: string): Rgb {
  return Number.parseInt(hex.slice(1), 16);
}

/** Perceived brightness, 0 to 255. */
export function luma(colour: Rgb): number {
  return ((colour >> 16) * 77 + ((colour >> 8) & 255) * 150 + (colour & 255) * 29) >> 8;
}

/** Less than 1 greys a colour, more than 1 makes it purer. */
export function saturate(colour: Rgb, amount: number): Rgb {
  const grey = luma(colour);
  const part = (shift: number) => clamp(grey + (((colour >> shift) & 255) - grey) * amount) << shift;
  return part(16) | part(8) | part(0);
}

/** Towards white for positive amounts (to 1), towards black for negative ones (to -1). */
export function lighten(colour: Rgb, amount: number): Rgb {
  return amount < 0 ? blend(colour, 0x05060c, -amount) : blend(colour, 0xffffff, amount);
}

/** Stretches or flattens the distance from middle grey. */
export function contrast(colour: Rgb, amount: number): Rgb {
  const part = (shift: number) => clamp(128 + (((colour >> shift) & 255) - 128) * amount) << shift;
  return part(16) | part(8) | part(0);
}

/** The colour at `share` (0 to 1) along a list of stops. */
export function along(stops: readonly Rgb[], share: number): Rgb {
  const place = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const index = Math.min(Math.floor(place), stops.length - 2);
  return blend(stops[index] ?? 0, stops[index + 1] ?? 0, place - index);
}

function clamp(value: number): number {
  return value < 0 ? 0 : value > 255 ? 255 : Math.round(value);
}

export function lumaOf(r: number, g: number, b: number): number {
  return (16.5 + 0.18259 * r + 0.61423 * g + 0.06201 * b) | 0;
}

export function blueOf(r: number, g: number, b: number): number {
  return (128.5 - 0.10064 * r - 0.33857 * g + 0.43922 * b) | 0;
}

export function redOf(r: number, g: number, b: number): number {
  return (128.5 + 0.43922 * r - 0.39894 * g - 0.04027 * b) | 0;
}
