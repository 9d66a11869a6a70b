import type { Sharp } from 'sharp';
import { EmulatorError } from '../../errors.ts';
import { loadSharp } from '../load-sharp.ts';
import { blueOf, lumaOf, redOf } from '../paint/rgb.ts';
import type { ReferencePicture } from '../render-request.ts';
import type { Planes } from './picture-planes.ts';
import { type Plane, resample } from './resample.ts';

interface Size {
  width: number;
  height: number;
}

interface Region extends Size {
  left: number;
  top: number;
}

/** A picture that fills a frame of a given size from its middle; parts of it are put into planes in any size. */
export class GivenPicture {
  readonly #luma: Plane;
  readonly #blue: Plane;
  readonly #red: Plane;
  /** How much larger the frame is than the picture, and where the frame's corner lies in the picture. */
  readonly #scale: number;
  readonly #left: number;
  readonly #top: number;

  constructor({ bytes, width, height }: Rgb, frame: Size) {
    const plane = (): Plane => ({
      ...{ bytes: new Uint8Array(width * height), start: 0, stride: width },
      ...{ width, height },
    });
    this.#luma = plane();
    this.#blue = plane();
    this.#red = plane();
    this.#scale = Math.max(frame.width / width, frame.height / height);
    this.#left = (width - frame.width / this.#scale) / 2;
    this.#top = (height - frame.height / this.#scale) / 2;
    this.#separate(bytes);
  }

  /** Fills the planes' rows from `top` on with a region of the frame. All sizes and places in the planes are even. */
  put(planes: Planes, region: Region, spot: Size & { top: number }): void {
    const { bytes, width, height } = planes;
    const [size, half] = [width * height, width / 2];
    const into = (part: number, start: number): Plane => ({
      ...{ bytes, start, stride: width / part },
      ...{ width: spot.width / part, height: spot.height / part },
    });
    resample(this.#luma, into(1, spot.top * width), this.#spread(region, spot, 1));
    const colours = this.#spread(region, spot, 2);
    const corner = size + (spot.top / 2) * half;
    resample(this.#blue, into(2, corner), colours);
    resample(this.#red, into(2, corner + size / 4), colours);
  }

  /** `part` pixels of the spot share one value. */
  #spread(region: Region, spot: Size, part: number) {
    const across = (region.width / spot.width / this.#scale) * part;
    const down = (region.height / spot.height / this.#scale) * part;
    return {
      ...{ x: this.#left + region.left / this.#scale + across / 2, across },
      ...{ y: this.#top + region.top / this.#scale + down / 2, down },
    };
  }

  #separate(rgb: Uint8Array): void {
    const [luma, blue, red] = [this.#luma.bytes, this.#blue.bytes, this.#red.bytes];
    for (let at = 0, from = 0; at < luma.length; at++, from += 3) {
      const [r, g, b] = [rgb[from] ?? 0, rgb[from + 1] ?? 0, rgb[from + 2] ?? 0];
      luma[at] = lumaOf(r, g, b);
      blue[at] = blueOf(r, g, b);
      red[at] = redOf(r, g, b);
    }
  }
}

const MOST_PIXELS = 64 * 1024 * 1024;

/** Pixels of three bytes each. */
export interface Rgb {
  bytes: Buffer;
  width: number;
  height: number;
}

type PictureSize = Pick<Rgb, 'width' | 'height'>;
type Stored = Extract<ReferencePicture, { path: string }>;

/** The picture cut and shrunk or enlarged so that it is `size`. Throws `invalid_request` where it cannot be read. */
export function readFitted(reference: Stored, size: PictureSize, param: string): Promise<Rgb> {
  return read(param, async () => {
    const picture = open(reference);
    return rgbOf(picture.resize(size.width, size.height, { fit: 'cover' }));
  });
}

/** The part of the picture that fills `size`, at most so large: a small picture is left as it is. Throws as `readFitted`. */
export function readFilling(reference: Stored, size: PictureSize, param: string): Promise<Rgb> {
  return read(param, async () => {
    const picture = open(reference);
    const { autoOrient } = await picture.metadata();
    const scale = Math.max(size.width / autoOrient.width, size.height / autoOrient.height);
    if (scale <= 1) return rgbOf(picture.resize(size.width, size.height, { fit: 'cover' }));
    const width = Math.min(autoOrient.width, 2 * Math.ceil(size.width / scale / 2));
    const height = Math.min(autoOrient.height, 2 * Math.ceil(size.height / scale / 2));
    const left = (autoOrient.width - width) >> 1;
    const top = (autoOrient.height - height) >> 1;
    return rgbOf(picture.extract({ left, top, width, height }));
  });
}

function open({ path }: Stored): Sharp {
  return loadSharp()(path, { limitInputPixels: MOST_PIXELS, failOn: 'truncated' })
    .autoOrient()
    .flatten({ background: '#000000' })
    .toColourspace('srgb');
}

async function rgbOf(picture: Sharp): Promise<Rgb> {
  const { data, info } = await picture.removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { bytes: data, width: info.width, height: info.height };
}

async function read(param: string, act: () => Promise<Rgb>): Promise<Rgb> {
  try {
    return await act();
  } catch (cause) {
    if (cause instanceof EmulatorError) throw cause;
    const text = `The picture given as ${param} cannot be decoded; give a whole PNG, JPEG or WebP file.`;
    throw new EmulatorError('invalid_request', text, { param, cause });
  }
}
