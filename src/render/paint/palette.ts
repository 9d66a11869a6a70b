/** A colour as 0xRRGGBB. */
export type Rgb = number;

/** Steps between two colours at the edge of a shape. */
export const EDGE_STEPS = 8;

/** Closer than this (sum of squares over three channels) two colours count as one; the fuller the palette, the further. */
const SAME_ENOUGH = 60;
const HALF_FULL = 128;
const FURTHER = 3;

/** Shades leave the last places to exact colours. */
const FOR_EXACT = 40;

/** And scenes leave these to lettering and frames. */
const FOR_SURE = 16;

/** The at most 256 colours of one picture. Shades at edges take free places first and share the nearest ones later. */
export class Palette {
  readonly colours = new Int32Array(256);
  #used = 0;
  /** Keys of known shades, and places towards which something was mixed: what has to be forgotten. */
  #shaded: number[] = [];
  readonly #aims = new Uint8Array(256);
  readonly #known = new Map<Rgb, number>();
  readonly #mixed = new Uint8Array(256 * 256 * EDGE_STEPS);
  /** The shade once found for a colour cut to 5, 6 and 5 bits; 0 is not yet known. */
  readonly #shades = new Uint16Array(65536);

  get size(): number {
    return this.#used;
  }

  /** Begins anew, for the next picture. */
  clear(): void {
    this.#used = 0;
    this.#forget();
  }

  /** Begins anew with the colours of another one, each at its place. */
  copy(other: Palette): void {
    this.clear();
    this.colours.set(other.colours);
    this.#used = other.size;
  }

  /** The place of this colour while there is room, of the nearest one after that. */
  add(colour: Rgb): number {
    return this.#find(colour, 256 - FOR_SURE);
  }

  /** As `add`, with the last places too: for what must be exactly so. */
  ensure(colour: Rgb): number {
    return this.#find(colour, 256);
  }

  #find(colour: Rgb, limit: number): number {
    const known = this.#known.get(colour);
    if (known !== undefined) return known;
    const place = this.#used < limit ? this.#append(colour) : this.#nearest(colour).place;
    if (this.#used < limit) this.#known.set(colour, place);
    return place;
  }

  /** A shade `step` eighths of the way from one place to another. */
  mix(from: number, to: number, step: number): number {
    if (step <= 0 || from === to) return from;
    if (step >= EDGE_STEPS) return to;
    // What one shape asks for lies close together.
    const key = (((to << 3) | step) << 8) | from;
    const held = this.#mixed[key] ?? 0;
    if (held !== 0) return held;
    const place = this.#shade(blend(this.colours[from] ?? 0, this.colours[to] ?? 0, step / EDGE_STEPS));
    this.#mixed[key] = place;
    this.#aims[to] = 1;
    return place;
  }

  /** Each place replaced by what `change` makes of its colour: for light that falls on everything. */
  recolour(change: (colour: Rgb) => Rgb): void {
    for (let place = 0; place < this.#used; place++) {
      this.colours[place] = change(this.colours[place] ?? 0);
    }
    this.#forget();
  }

  /** Clears only what was used: whole tables would drive all else out of the processor's cache. */
  #forget(): void {
    this.#known.clear();
    for (const key of this.#shaded) this.#shades[key] = 0;
    this.#shaded = [];
    for (let place = 0; place < 256; place++) {
      if (this.#aims[place] === 1) this.#mixed.fill(0, place << 11, (place + 1) << 11);
    }
    this.#aims.fill(0);
  }

  #shade(colour: Rgb): number {
    const key = ((colour >> 19) << 11) | (((colour >> 10) & 63) << 5) | ((colour >> 3) & 31);
    const held = this.#shades[key] ?? 0;
    if (held > 0) return held - 1;
    const full = this.#used >= 256 - FOR_EXACT;
    const enough = SAME_ENOUGH + Math.max(0, this.#used - HALF_FULL) * FURTHER;
    const near = this.#nearest(colour, full ? 0 : enough);
    const place = full || near.distance <= enough ? near.place : this.#append(colour);
    this.#shades[key] = place + 1;
    this.#shaded.push(key);
    return place;
  }

  #append(colour: Rgb): number {
    this.colours[this.#used] = colour;
    return this.#used++;
  }

  /** The newest place that is as near as `enough`, or else the nearest: what lies close together is asked for one after the other. */
  #nearest(colour: Rgb, enough = 0): { place: number; distance: number } {
    let place = 0;
    let distance = Number.POSITIVE_INFINITY;
    const red = colour >> 16;
    const green = (colour >> 8) & 255;
    const blue = colour & 255;
    for (let at = this.#used - 1; at >= 0; at--) {
      const other = this.colours[at] ?? 0;
      const dr = (other >> 16) - red;
      const dg = ((other >> 8) & 255) - green;
      const db = (other & 255) - blue;
      const apart = dr * dr + dg * dg + db * db;
      if (apart < distance) {
        place = at;
        distance = apart;
        if (apart <= enough) break;
      }
    }
    return { place, distance };
  }
}

/** The colour `share` (0 to 1) of the way from one to the other. */
export function blend(from: Rgb, to: Rgb, share: number): Rgb {
  const part = (shift: number) => {
    const low = (from >> shift) & 255;
    return Math.round(low + (((to >> shift) & 255) - low) * share) << shift;
  };
  return part(16) | part(8) | part(0);
}
