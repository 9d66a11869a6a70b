import { GRANULE, LOOKED_BACK, SLOTS, SUBBANDS, SubbandFilter } from './subband-filter.ts';
import { WindowTransform } from './window-transform.ts';

/** In hertz: what lies above nobody hears. */
const HEARD = 20_000;

/** The first so many values of a spectrum are coded. */
export function codedValues(sampleRate: number): number {
  return SLOTS * Math.min(SUBBANDS, Math.ceil((HEARD * 2 * SUBBANDS) / sampleRate));
}

/** How much each pair of neighbours across the edge of two subbands has of the other, and of itself. */
const PARTS = [-0.6, -0.535, -0.33, -0.185, -0.095, -0.041, -0.0142, -0.0037];
const OWN = Float64Array.from(PARTS, (part) => 1 / Math.sqrt(1 + part * part));
const OTHER = OWN.map((own, at) => own * (PARTS[at] as number));

/** Makes the sound of one channel into spectra, one after the other, by long windows. */
export class GranuleSpectrum {
  readonly #filter = new SubbandFilter();
  readonly #windows = new WindowTransform();
  /** The sound that the filter looks at; new sound stands behind `LOOKED_BACK`. */
  readonly samples = new Float64Array(LOOKED_BACK + GRANULE);
  #before = new Float64Array(GRANULE);
  #now = new Float64Array(GRANULE);
  readonly #size: number;

  /** Whose first `size` values are made. */
  constructor(size: number) {
    this.#size = size;
  }

  /** Of the sound in `samples`, which is moved to where the next finds it. */
  next(spectrum: Float64Array): void {
    this.#filter.split(this.samples, LOOKED_BACK, this.#now);
    this.samples.copyWithin(0, GRANULE);
    for (let at = 0; at < this.#size; at += SLOTS) this.#windows.apply(this.#before, this.#now, spectrum, at);
    for (let edge = SLOTS; edge < this.#size; edge += SLOTS) blendEdge(spectrum, edge);
    [this.#before, this.#now] = [this.#now, this.#before];
  }
}

function blendEdge(spectrum: Float64Array, edge: number): void {
  for (let i = 0; i < 8; i++) {
    const below = spectrum[edge - 1 - i] as number;
    const above = spectrum[edge + i] as number;
    spectrum[edge - 1 - i] = below * (OWN[i] as number) + above * (OTHER[i] as number);
    spectrum[edge + i] = above * (OWN[i] as number) - below * (OTHER[i] as number);
  }
}
