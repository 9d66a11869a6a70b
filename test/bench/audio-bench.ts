import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Ffmpeg } from '../../src/render/ffmpeg.ts';
import type { SongRequest } from '../../src/render/render-request.ts';
import { renderSong } from '../../src/render/song/render-song.ts';
import { benchFolder } from './bench-folder.ts';
import { type BenchRow, median } from './bench-row.ts';

const BARS: [seconds: number, bar: string][] = [
  [30, '>= 1.8'],
  [240, '>= 12'],
];
const ROUNDS = 5;
const STYLES = ['indie pop, piano, female vocals', 'smooth jazz', 'heavy metal', 'ambient', 'deep house'];
const LYRICS = '[Verse]\nWalking down the empty street\nListening to my own two feet\n[Chorus]\nStay with me';

/** Songs not asked for before, against ffmpeg that encodes the very same samples straight, in interleaved rounds. */
export async function audioBench(): Promise<BenchRow[]> {
  const folder = benchFolder();
  try {
    await renderOne(folder, song(0, 30));
    const rows: BenchRow[] = [];
    for (const [seconds, bar] of BARS) rows.push(await measure(folder, seconds, bar));
    return rows;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measure(folder: string, seconds: number, bar: string): Promise<BenchRow> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    ours.push(await timed(() => renderOne(folder, song(round, seconds))));
    runFfmpeg(['-i', path.join(folder, 'ours.mp3'), path.join(folder, 'samples.wav')]);
    theirs.push(await timed(() => encodeStraight(folder)));
  }
  const [one, other] = [median(ours), median(theirs)];
  const name = `song of ${seconds} s, its samples encoded straight`;
  const figure = (ms: number) => `${ms.toFixed(0)} ms`;
  return { name, ours: figure(one), theirs: figure(other), ratio: other / one, bar };
}

function song(round: number, seconds: number): SongRequest {
  const style = STYLES[round % STYLES.length] ?? 'pop';
  const title = `Bench ${round} of ${seconds}`;
  const lyrics = round % 2 === 0 ? null : LYRICS;
  return { kind: 'song', model: 'svc-music-one', title, style, lyrics, seconds, seed: round };
}

async function renderOne(folder: string, request: SongRequest): Promise<void> {
  const tools = {
    ffmpeg: new Ffmpeg(),
    signal: new AbortController().signal,
    onProgress: () => undefined,
    scratchFolder: folder,
  };
  await renderSong(request, path.join(folder, 'ours.mp3'), tools);
}

function encodeStraight(folder: string): void {
  runFfmpeg(['-i', path.join(folder, 'samples.wav'), '-b:a', '320k', path.join(folder, 'theirs.mp3')]);
}

function runFfmpeg(args: string[]): void {
  const load = createRequire(import.meta.url);
  const { path: program } = load('@ffmpeg-installer/ffmpeg') as { path: string };
  const run = spawnSync(program, ['-v', 'error', '-nostdin', '-y', ...args]);
  if (run.status !== 0) throw new Error(`ffmpeg failed: ${run.stderr}`);
}

async function timed(work: () => void | Promise<void>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}
