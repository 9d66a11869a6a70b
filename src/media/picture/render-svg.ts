import { createRequire } from 'node:module';
import type sharp from 'sharp';
import { packageManagerCommands } from '../../base/config/package-manager.ts';
import { EmulatorError } from '../../base/errors.ts';
import { describeLoadOrStartError } from '../../base/load-or-start-error.ts';
import { svgDocument } from '../paint/rgb.ts';

export interface Size {
  width: number;
  height: number;
}

const COARSE = 1 / 170;

export function svgImageElement(encoded: Buffer, { x, y, width, height }: Size & { x: number; y: number }): string {
  const place = `x="${x}" y="${y}" width="${width}" height="${height}" preserveAspectRatio="none"`;
  return `<image ${place} href="data:image/png;base64,${encoded.toString('base64')}"/>`;
}

export async function pixelateSvg(content: string, size: Size): Promise<string> {
  const width = Math.round(size.width / Math.max(4, Math.round(size.width * COARSE)));
  const height = Math.round((width * size.height) / size.width);
  const load = loadSharp();
  const small = await load(svgDocument(size, content)).resize(width, height, { fit: 'fill' }).png().toBuffer();
  const large = load(small).resize(size.width, size.height, { fit: 'fill', kernel: 'nearest' });
  return svgImageElement(await large.png({ compressionLevel: 1 }).toBuffer(), { x: 0, y: 0, ...size });
}

export async function renderSvgToPng(size: Size, content: string): Promise<Buffer> {
  const load = loadSharp();
  return load(svgDocument(size, content)).removeAlpha().png({ compressionLevel: 2 }).toBuffer();
}

export async function renderSvgToPixels(size: Size, content: string): Promise<Buffer> {
  const load = loadSharp();
  return load(svgDocument(size, content)).ensureAlpha().raw().toBuffer();
}

const load = createRequire(import.meta.url);

export function loadSharp(): typeof sharp {
  try {
    return load('sharp');
  } catch (cause) {
    const install = `Run ${packageManagerCommands().optional}.`;
    throw new EmulatorError('render_failed', describeLoadOrStartError(cause, { name: 'sharp', install }), { cause });
  }
}
