import { writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { type Lettering, wrapText } from '../paint/lettering.ts';
import type { ImageRequest, RenderedFile, RenderTools, ThumbnailRequest } from '../render-request.ts';
import { paintScene } from '../scene/paint-scene.ts';
import { type SceneAssets, transformSvgToView } from '../scene/painter.ts';
import { planScene } from '../scene/scene-plan.ts';
import { loadSharp, pixelateSvg, renderSvgToPng } from './render-svg.ts';

const SIDE = 1024;
const SIZE = { width: SIDE, height: SIDE };
const USUAL_CFG = 7;
const FRAME = Math.round(SIDE * 0.028);

export async function renderPicture(kit: SceneAssets, request: ImageRequest): Promise<Buffer> {
  const plan = planScene(kit, {
    prompt: request.prompt,
    negativePrompt: request.negativePrompt,
    seed: request.seed,
    strength: (request.cfgScale ?? USUAL_CFG) / USUAL_CFG,
  });
  const { painter } = paintScene(kit, plan, { spread: 0.5, reach: 0.5, floor: 0.84 });
  const scene = transformSvgToView(painter.drawn, { scale: SIDE, x: SIDE / 2, y: 0 });
  const surface = plan.styles.includes('pixel') ? await pixelateSvg(scene, SIZE) : scene;
  const framed = plan.styles.includes('framed') ? surface + frame() : surface;
  const mark = `placeholder  ·  ${request.model}  ·  seed ${request.seed}`;
  const png = await renderSvgToPng(SIZE, framed + drawCaption(kit.lettering, { prompt: request.prompt, mark }));
  return withTexts(png, recipe(request), request.bytes);
}

function frame(): string {
  const line = (inset: number, wide: number, colour: string) => {
    const side = SIDE - 2 * inset;
    const box = `x="${inset}" y="${inset}" width="${side}" height="${side}"`;
    return `<rect ${box} fill="none" stroke="${colour}" stroke-width="${wide}"/>`;
  };
  return line(FRAME / 2, FRAME, '#f4efe4') + line(FRAME - 1.5, 3, '#c9bda6');
}

const SOURCE = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" Iptc4xmpExt:DigitalSourceType="http://cv.iptc.org/newscodes/digitalsourcetype/algorithmicMedia"/></rdf:RDF></x:xmpmeta>`;

function recipe(request: ImageRequest): Record<string, string> {
  const { model, prompt, negativePrompt, cfgScale, seed } = request;
  return {
    Description: prompt,
    Software: 'svc-emulator (placeholder picture)',
    Recipe: JSON.stringify({ model, prompt, negativePrompt, cfgScale, seed }),
    'XML:com.adobe.xmp': SOURCE,
  };
}

const SIZES = [
  { size: 38, lines: 2 },
  { size: 30, lines: 3 },
  { size: 24, lines: 4 },
  { size: 19, lines: 6 },
];
const MARGIN = 48;
const MARK_SIZE = 17;

function drawCaption(lettering: Lettering, { prompt, mark }: { prompt: string; mark: string }): string {
  const { size, lines } = typeset(lettering, lettering.visible(prompt), SIDE - 2 * MARGIN);
  const step = Math.round(size * 1.3);
  const top = SIDE - 62 - lines.length * step;
  const bare = `x="${MARGIN - 14}" y="${SIDE - 46}" width="${lettering.measure(mark, MARK_SIZE) + 52}" height="36" rx="8"`;
  const area = lines.length === 0 ? bare : `y="${top}" width="${SIDE}" height="${SIDE - top}"`;
  const glass = `<rect ${area} fill="#0a0c14" fill-opacity=".63"/>`;
  const drawn = lines.map((line, row) => {
    const baseline = top + 14 + Math.round(size * 0.95) + row * step;
    return lettering.draw(line, { x: MARGIN, baseline, size, colour: 0xffffff });
  });
  const baseline = SIDE - 22;
  const diamond = `<path d="M${MARGIN} ${baseline - 6}l7-7l7 7l-7 7z" fill="#ffc857"/>`;
  const small = lettering.draw(mark, { x: MARGIN + 24, baseline, size: MARK_SIZE, colour: 0xc9ced8 });
  return glass + drawn.join('') + diamond + small;
}

function typeset(lettering: Lettering, text: string, width: number): { size: number; lines: string[] } {
  for (const { size, lines: most } of SIZES) {
    const lines = wrapText(text, width, most, (part) => lettering.measure(part, size));
    if (lines.at(-1)?.endsWith('…') !== true || size === SIZES.at(-1)?.size) return { size, lines };
  }
  return { size: MARK_SIZE, lines: [] };
}

const HEAD_BYTES = 33;
const EMPTY_CHUNK = 12;
/** The type of a padding chunk of a PNG. It is ancillary and private, so readers ignore it. */
const FILLER = 'flLr';
const COLOURS = chunk('sRGB', Buffer.from([0]));

function withTexts(png: Buffer, texts: Record<string, string>, bytes = 0): Buffer {
  const notes = Object.entries(texts).map(([keyword, text]) => chunk('iTXt', note(keyword, text)));
  const [head, rest] = [png.subarray(0, HEAD_BYTES), png.subarray(HEAD_BYTES, -EMPTY_CHUNK)];
  const parts = [head, COLOURS, ...notes, rest];
  const missing = bytes - parts.reduce((sum, part) => sum + part.length, 2 * EMPTY_CHUNK);
  const filler = missing > 0 ? [chunk(FILLER, Buffer.alloc(missing))] : [];
  return Buffer.concat([...parts, ...filler, png.subarray(-EMPTY_CHUNK)]);
}

function note(keyword: string, text: string): Buffer {
  return Buffer.concat([Buffer.from(keyword, 'latin1'), Buffer.alloc(5), Buffer.from(text, 'utf8')]);
}

function chunk(type: string, data: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(data.length + 12);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}

const THUMBNAIL_SIDE = 320;
const QUALITY = 80;
const PAPER = '#141a26';
const FRAME_AT = '1';

export async function renderThumbnail(
  request: ThumbnailRequest,
  target: string,
  tools: RenderTools,
): Promise<RenderedFile> {
  const sharp = loadSharp();
  const picture = sharp(await source(request, tools))
    .flatten({ background: PAPER })
    .resize(THUMBNAIL_SIDE, THUMBNAIL_SIDE, { fit: 'inside', withoutEnlargement: true })
    .webp({ quality: QUALITY });
  const bytes = await picture.toBuffer();
  tools.signal.throwIfAborted();
  writeFileSync(target, bytes);
  return { bytes: bytes.length, contentType: 'image/webp' };
}

function source({ of, contentType }: ThumbnailRequest, tools: RenderTools) {
  if (contentType.startsWith('video/')) return clipFrame(of.path, tools);
  if (contentType.startsWith('audio/')) return waveform(of.path, tools);
  return Promise.resolve(of.path);
}

const PICTURE_DECODERS = ['h264', 'hevc', 'vp9', 'mpeg4', 'libaom-av1', 'libdav1d', 'av1'];

function clipFrame(path: string, { ffmpeg, signal }: RenderTools): Promise<Buffer> {
  const input = { input: path, format: 'mp4', decoders: PICTURE_DECODERS, inputOptions: ['-ss', FRAME_AT] };
  const outputOptions = ['-frames:v', '1', '-an', '-sn', '-dn', '-c:v', 'png', '-f', 'image2pipe'];
  return ffmpeg.run({ ...input, outputOptions }, signal);
}

const WAVEFORM = `showwavespic=s=${THUMBNAIL_SIDE}x96:colors=0x6fc3df`;

function waveform(path: string, { ffmpeg, signal }: RenderTools): Promise<Buffer> {
  const outputOptions = ['-filter_complex', `aformat=channel_layouts=mono,${WAVEFORM}`];
  const input = { input: path, format: 'mp3', decoders: ['mp3', 'mp3float'] };
  const picture = ['-frames:v', '1', '-c:v', 'png', '-f', 'image2pipe'];
  return ffmpeg.run({ ...input, outputOptions: [...outputOptions, ...picture] }, signal);
}
