import type { Sharp } from 'sharp';
import { EmulatorError } from '../../errors.ts';
import type { ReferencePicture } from '../render-request.ts';

const MOST_PIXELS = 64 * 1024 * 1024;

/** Pixels of three bytes each. */
export interface Rgb {
  bytes: Buffer;
  width: number;
  height: number;
}

type Size = Pick<Rgb, 'width' | 'height'>;
type Stored = Extract<ReferencePicture, { path: string }>;

/** The picture cut and shrunk or enlarged so that it is `size`. Throws `invalid_request` where it cannot be read. */
export function readFitted(reference: Stored, size: Size, param: string): Promise<Rgb> {
  return read(param, async () => {
    const picture = await open(reference);
    return rgbOf(picture.resize(size.width, size.height, { fit: 'cover' }));
  });
}

/** The part of the picture that fills `size`, at most so large: a small picture is left as it is. Throws as `readFitted`. */
export function readFilling(reference: Stored, size: Size, param: string): Promise<Rgb> {
  return read(param, async () => {
    const picture = await open(reference);
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

async function open({ path }: Stored): Promise<Sharp> {
  const { default: sharp } = await import('sharp');
  return sharp(path, { limitInputPixels: MOST_PIXELS, failOn: 'truncated' })
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
    const text = `The picture given as ${param} cannot be decoded; give a whole PNG, JPEG or WebP file.`;
    throw new EmulatorError('invalid_request', text, { param, cause });
  }
}
