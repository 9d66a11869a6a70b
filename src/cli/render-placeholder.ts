import { createReadStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { VirtualClock } from '../base/clock/virtual-clock.ts';
import { type ConfigOptions, readConfig } from '../base/config/config.ts';
import { type Catalogue, readCatalogue } from '../engine/catalogue/catalogue.ts';
import { derivedSeed } from '../engine/generation/pipeline.ts';
import { Songwriter } from '../engine/generation/songwriter/songwriter.ts';
import { clipRender, planClip } from '../engine/generation/video.ts';
import type { RenderRequest } from '../media/render-request.ts';
import { understoodPrompt } from '../media/scene/scene-lexicon.ts';
import { WorkerRenderer } from '../media/worker-renderer.ts';
import { EXIT, wrongUse } from './process-end.ts';
import { keepOutput, requireOutput } from './report-files.ts';
import { say, sayAside, withProgress } from './terminal-output.ts';

export interface RenderFlags extends Omit<PlaceholderWish, 'prompt'>, Pick<ConfigOptions, 'ffmpeg' | 'fixtures'> {
  out?: string;
  explain?: boolean;
}

const ENDINGS = { image: 'png', video: 'mp4', speech: 'mp3', music: 'mp3' };
/** Code points, as in the service. */
const LONGEST = { image: 2_400, video: 2_400, speech: 4_096, music: 2_400 };
const LONGEST_NAME = 60;
const SONG = { shortest: 30, longest: 240, step: 30 };

/** Throws `CommandEnd` for wrong use, and `EmulatorError` if the render fails. */
export async function renderPlaceholder(
  prompt: string,
  { out, explain, ffmpeg, fixtures, ...wish }: RenderFlags,
): Promise<void> {
  requireFitting(prompt, wish);
  const config = readConfig({ ffmpeg, fixtures });
  const request = placeholderRequest(readCatalogue(config.fixtures), { ...wish, prompt });
  const target = out ?? `${nameOf(prompt)}.${ENDINGS[wish.kind]}`;
  const print = target === '-' ? sayAside : say;
  if (explain) print(`${JSON.stringify(explanation(request, prompt), null, 2)}\n`);
  if (target !== '-') requireOutput('--out', target);
  const scratch = mkdtempSync(path.join(tmpdir(), `svc-emulator-render-${process.pid}-`));
  try {
    const file = path.join(scratch, 'file');
    await renderTo(request, file, { scratchFolder: scratch, ffmpegPath: config.ffmpeg });
    if (target === '-') return await pipeline(createReadStream(file), process.stdout, { end: false });
    keepOutput('--out', target, readFileSync(file), EXIT.wrongUse);
    if (!explain) print(`${target}\n`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function renderTo(
  request: RenderRequest,
  file: string,
  options: { scratchFolder: string; ffmpegPath: string | undefined },
): Promise<void> {
  const renderer = new WorkerRenderer({ ...options, clock: new VirtualClock(), workers: 1 });
  try {
    await withProgress('render', () => renderer.render(request, file));
  } finally {
    await renderer.close();
  }
}

/** Rejects what the service would reject, but names the flag. */
function requireFitting(prompt: string, { kind, seconds }: RenderFlags): void {
  const length = [...prompt].length;
  if (length > LONGEST[kind]) {
    throw wrongUse(
      `The prompt has ${length} characters; a prompt of kind ${kind} may have at most ${LONGEST[kind]}. Shorten it.`,
    );
  }
  if (seconds === undefined) return;
  if (kind === 'image' || kind === 'speech') {
    throw wrongUse(`--seconds is for clips and songs; leave it out with --kind ${kind}.`);
  }
  const { shortest, longest, step } = SONG;
  if (kind === 'music' && (seconds < shortest || seconds > longest || seconds % step !== 0)) {
    throw wrongUse(
      `--seconds ${seconds} is not a length of a song; use ${shortest} to ${longest} in steps of ${step}.`,
    );
  }
}

function explanation(request: RenderRequest, prompt: string): unknown {
  if (request.kind === 'image' || request.kind === 'clip') return understoodPrompt(prompt);
  return request;
}

function nameOf(prompt: string): string {
  const words =
    prompt
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const name = [...words.join('-')].slice(0, LONGEST_NAME).join('').replace(/-$/u, '');
  return name === '' ? 'render' : name;
}

export interface PlaceholderWish {
  kind: 'image' | 'video' | 'speech' | 'music';
  prompt: string;
  model?: string | undefined;
  seconds?: number | undefined;
  voice?: 'aria' | 'orion' | undefined;
  seed?: number | undefined;
}

const SONG_SECONDS = 30;

/**
 * Throws `model_not_found` for an unknown model and `invalid_request` for a length that its engine does not support.
 */
function placeholderRequest(catalogue: Catalogue, wish: PlaceholderWish): RenderRequest {
  const { kind, prompt, voice = 'aria' } = wish;
  if (kind === 'video') return clipFor(catalogue, wish);
  const model = catalogue.chosen(wish.model, kind);
  if (kind === 'speech') return { kind, model, text: prompt, voice };
  if (kind === 'image')
    return { kind, model, prompt, seed: wish.seed ?? derivedSeed(model, prompt, undefined, undefined) };
  const { seconds = SONG_SECONDS, seed = derivedSeed(model, prompt) } = wish;
  const song = new Songwriter().writeSong({ prompt, seconds, seed, instrumental: false });
  return { kind: 'song', model, title: song.title, style: song.style, lyrics: song.lyrics, seconds, seed };
}

function clipFor(catalogue: Catalogue, { prompt, model, seconds, seed }: PlaceholderWish): RenderRequest {
  const engine = catalogue.engine(model ?? catalogue.standard('video'));
  const order = { prompt, seconds, seed, aspect: '16:9' as const, figures: [] };
  return clipRender(engine, order, { plan: planClip(engine, order), pictures: { shown: [], last: undefined } });
}
