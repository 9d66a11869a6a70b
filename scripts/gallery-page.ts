import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '../src/base/clock/virtual-clock.ts';
import { packageFolder } from '../src/base/package/package-folder.ts';
import { escapeXml } from '../src/client/runners/junit.ts';
import { Ffmpeg } from '../src/media/ffmpeg.ts';
import { WorkerRenderer } from '../src/media/worker-renderer.ts';
import { clips, type Piece, pictures, songs, speeches } from './gallery-pieces.ts';

/** `npm run gallery` renders samples of every kind, and writes one page that takes a minute to review. */
const folder = join(packageFolder(), 'gallery');
mkdirSync(folder, { recursive: true });
execFileSync(process.execPath, [join(packageFolder(), 'scripts/build-worker.mjs')]);
const renderer = new WorkerRenderer({
  clock: new VirtualClock(),
  workers: availableParallelism(),
  scratchFolder: folder,
});
const ffmpeg = new Ffmpeg();

/** Shows the controls only under the pointer, because they hide the label, the time code and the prompt of a clip. */
const CONTROLS = 'onpointerenter="controls = true" onpointerleave="controls = false"';

const page = [
  section('Pictures', await Promise.all(pictures().map((piece, at) => picture(piece, at)))),
  section('Clips', await Promise.all(clips().map((piece, at) => video(piece, at)))),
  section('Voices', await Promise.all(speeches().map((piece, at) => sound(piece, `speech-${at}`)))),
  section('Songs', await Promise.all(songs().map((piece, at) => sound(piece, `song-${at}`)))),
];
writeFileSync(join(folder, 'index.html'), html(page.join('\n')));
await renderer.close();
console.log(join(folder, 'index.html'));

/** Renders a piece into a file of the folder, and returns the file's name. */
async function rendered({ request }: Piece, name: string): Promise<string> {
  await renderer.render(request, join(folder, name));
  return name;
}

async function picture(piece: Piece, at: number): Promise<string> {
  const name = await rendered(piece, `picture-${at}.png`);
  return figure(piece, `<a href="${name}"><img src="${name}" loading="lazy" alt=""></a>`);
}

async function video(piece: Piece, at: number): Promise<string> {
  const name = await rendered(piece, `clip-${at}.mp4`);
  return figure(piece, `<video src="${name}" autoplay loop muted playsinline ${CONTROLS}></video>`);
}

async function sound(piece: Piece, name: string): Promise<string> {
  const input = join(folder, await rendered(piece, `${name}.mp3`));
  const wave = ['-filter_complex', 'showwavespic=s=640x120:colors=#4c6ef5', '-frames:v', '1'];
  const outputOptions = [...wave, '-c:v', 'png', '-f', 'image2pipe'];
  const drawn = await ffmpeg.run({ input, format: 'mp3', decoders: ['mp3', 'mp3float'], outputOptions });
  writeFileSync(join(folder, `${name}.png`), drawn);
  return figure(piece, `<img src="${name}.png" alt=""><audio src="${name}.mp3" controls preload="none"></audio>`);
}

function figure({ title }: Piece, content: string): string {
  return `<figure>${content}<figcaption>${escapeXml(title)}</figcaption></figure>`;
}

function section(title: string, figures: string[]): string {
  return `<h2>${title}</h2>\n<div>${figures.join('\n')}</div>`;
}

function html(body: string): string {
  return `<!doctype html><meta charset="utf-8"><title>Gallery</title>
<style>
body { font: 15px system-ui, sans-serif; margin: 2rem; background: #f6f7f9; color: #1c1f26 }
div { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(260px, 1fr)); align-items: start }
figure { margin: 0; background: #fff; border-radius: 8px; overflow: hidden; box-shadow: 0 1px 4px #0002 }
img, video, audio { display: block; width: 100% }
video { aspect-ratio: 16 / 9; background: #14161c }
figcaption { padding: .5rem .75rem; font-size: 13px }
</style>
${body}
`;
}
