import type { Planes } from './picture-planes.ts';
import { blueOf, lumaOf, redOf } from './picture-planes.ts';
import type { Rgb } from './reference-picture.ts';
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
