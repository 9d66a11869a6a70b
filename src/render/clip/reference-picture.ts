import type { Sharp } from 'sharp';
import { EmulatorError } from '../../errors.ts';
import type { ReferencePicture } from '../render-request.ts';

const MOST_PIXELS = 64 * 1024 * 1024;

/** A given picture, read once; regions of it are asked for in any size. */
export class ReferenceFile {
  readonly #picture: Sharp;
  readonly width: number;
  readonly height: number;

  private constructor(picture: Sharp, width: number, height: number) {
    this.#picture = picture;
    this.width = width;
    this.height = height;
  }

  /** Cuts the picture so that it fills `width` × `height`. Throws `invalid_request` where it cannot be read. */
  static async open(
    reference: Extract<ReferencePicture, { path: string }>,
    size: { width: number; height: number },
    param: string,
  ): Promise<ReferenceFile> {
    const { default: sharp } = await import('sharp');
    try {
      const { data, info } = await sharp(reference.path, {
        limitInputPixels: MOST_PIXELS,
        failOn: 'truncated',
      })
        .autoOrient()
        .flatten({ background: '#000000' })
        .toColourspace('srgb')
        .resize(size.width, size.height, { fit: 'cover' })
        .raw()
        .toBuffer({ resolveWithObject: true });
      const raw = { width: info.width, height: info.height, channels: info.channels };
      return new ReferenceFile(sharp(data, { raw }), info.width, info.height);
    } catch (cause) {
      const text = `The picture given as ${param} cannot be decoded; give a whole PNG, JPEG or WebP file.`;
      throw new EmulatorError('invalid_request', text, { param, cause });
    }
  }

  static async fromRgb(
    rgb: Buffer,
    size: { width: number; height: number },
  ): Promise<ReferenceFile> {
    const { default: sharp } = await import('sharp');
    return new ReferenceFile(
      sharp(rgb, { raw: { ...size, channels: 3 } }),
      size.width,
      size.height,
    );
  }

  /** RGB pixels of a part, enlarged to `width` × `height`. */
  async part(
    region: { left: number; top: number; width: number; height: number },
    size: { width: number; height: number },
  ): Promise<Buffer> {
    const whole = region.width === size.width && region.height === size.height;
    const picture = this.#picture.clone().removeAlpha();
    const cut = whole
      ? picture
      : picture.extract(region).resize(size.width, size.height, { fit: 'fill' });
    return cut.raw().toBuffer();
  }
}
