import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Ffmpeg } from '../../src/media/ffmpeg.ts';
import { SONG_FORMAT } from '../../src/media/mp3/stream-format.ts';
import type { RenderTools, SongRequest } from '../../src/media/render-request.ts';
import { composePhrase, framePhrase, type Score } from '../../src/media/song/compose-phrase.ts';
import { type Phrase, planForm } from '../../src/media/song/form-plan.ts';
import { readMusicData } from '../../src/media/song/music-data.ts';
import { renderSong } from '../../src/media/song/render-song.ts';
import { identifySong, prepareTake } from '../../src/media/song/song-identity.ts';
import { assembleBand, mixPhrase } from '../../src/media/song/sound-song.ts';
import { renderSpeech } from '../../src/media/speech/render-speech.ts';
import { against, type BenchRow, each, median, medians, timed } from './bench-row.ts';
import { withFolder } from './bench-server.ts';

const BARS: [seconds: number, bar: string][] = [
  [30, '>= 1.8'],
  [240, '>= 20'],
];
const ROUNDS = 5;
const hasOthers = ['espeak-ng', 'lame'].every((name) => spawnSync('which', [name], { stdio: 'ignore' }).status === 0);
const STYLES = ['indie pop, piano, female vocals', 'smooth jazz', 'heavy metal', 'ambient', 'deep house'];
const LYRICS = '[Verse]\nWalking down the empty street\nListening to my own two feet\n[Chorus]\nStay with me';

/** Songs not asked for before, against the same tune played bar by bar and encoded straight, in interleaved rounds; and voices. */
export function audioBench(): Promise<BenchRow[]> {
  return withFolder(async (folder) => {
    await renderOne(folder, song(0, 30));
    const songs = await each(BARS, (bar) => songRow(folder, bar));
    return [...songs, ...(await speechRows(folder))];
  });
}

async function songRow(folder: string, [seconds, bar]: (typeof BARS)[number]): Promise<BenchRow> {
  const rounds = await each(ROUNDS, async (at) => {
    const round = at + 1;
    // The plain way takes so long that what ours was compiled to has been thrown away meanwhile.
    await renderOne(folder, song(-round, 30));
    const request = song(round, seconds);
    const ours = await timed(() => renderOne(folder, request));
    runFfmpeg(['-i', path.join(folder, 'ours.mp3'), path.join(folder, 'samples.wav')]);
    const played = await timed(() => playStraight(request));
    return { ours, theirs: played + (await timed(() => encodeStraight(folder))) };
  });
  const of = (side: 'ours' | 'theirs') => median(rounds.map((round) => round[side]));
  const name = `song of ${seconds} s, the same tune played and encoded straight`;
  const [ours, theirs] = [of('ours'), of('theirs')];
  return { ...against(name, { ours, theirs, bar, unit: ' ms' }), ratio: theirs / ours };
}

function song(round: number, seconds: number): SongRequest {
  const style = STYLES[Math.abs(round) % STYLES.length] ?? 'pop';
  const title = `Bench ${round} of ${seconds}`;
  const lyrics = round % 2 === 0 ? null : LYRICS;
  return { kind: 'song', model: 'svc-music-one', title, style, lyrics, seconds, seed: round };
}

/** Every section played as it comes, though it has been heard before. */
function playStraight(request: SongRequest): void {
  const data = readMusicData();
  const identity = identifySong(request, data);
  const barSamples = identity.barFrames * SONG_FORMAT.frameSamples;
  const bars = Math.round((request.seconds * SONG_FORMAT.sampleRate) / barSamples);
  const form = planForm(request.lyrics, bars, bars);
  const take = prepareTake(identity, request.seed);
  const band = assembleBand(identity, take, data);
  const runs: Phrase[] = [];
  for (const { phrase } of form.bars) {
    const { kind, lines } = form.phrases[phrase] as Phrase;
    const last = runs.at(-1);
    if (last?.kind === kind) last.bars += 1;
    else runs.push({ kind, lines, bars: 1 });
  }
  const scores = runs.map((run) => composePhrase(framePhrase(identity, take, run), data.harmony));
  for (const [i, { kind }] of runs.entries()) mixPhrase(band, scores[i] as Score, kind);
}

/** Of 60 characters against espeak-ng and LAME, where they are installed; and the longest text against these. */
async function speechRows(folder: string): Promise<BenchRow[]> {
  const sentence = 'The boat leaves at nine, so be on time and bring some tea. '.padEnd(60, '!');
  const say = (text: string) => () =>
    renderSpeech(
      { kind: 'speech', model: 'svc-voice-one', text, voice: 'aria' },
      path.join(folder, 'said.mp3'),
      tools(folder),
    );
  const [short, long] = [say(sentence), say(sentence.repeat(69).slice(0, 4096))];
  await Promise.all([short(), long()]);
  const others = () => (hasOthers ? sayElsewhere(sentence, folder) : undefined);
  const times = await medians({ short, elsewhere: others, long }, ROUNDS, 0);
  const row = (name: string, figures: { ours: number; theirs: number; bar: string }) =>
    against(name, { ...figures, unit: ' ms' });
  const elsewhere = { ours: times.short, theirs: times.elsewhere, bar: '<= 1' };
  return [
    ...(hasOthers ? [row('speech of 60 characters, of espeak-ng and LAME', elsewhere)] : []),
    row('speech of 4,096 characters, of 60', { ours: times.long, theirs: times.short, bar: '<= 20' }),
  ];
}

function sayElsewhere(text: string, folder: string): void {
  const [wave, file] = [path.join(folder, 'said.wav'), path.join(folder, 'theirs.mp3')];
  spawnSync('espeak-ng', ['-v', 'en-us', '-w', wave, text]);
  spawnSync('lame', ['--quiet', '-b', '64', wave, file]);
}

async function renderOne(folder: string, request: SongRequest): Promise<void> {
  await renderSong(request, path.join(folder, 'ours.mp3'), tools(folder));
}

function tools(folder: string): RenderTools {
  const signal = new AbortController().signal;
  return { ffmpeg: new Ffmpeg(), signal, onProgress: () => undefined, scratchFolder: folder };
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
