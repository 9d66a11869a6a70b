import { writeFile } from 'node:fs/promises';
import { yieldToEventLoop } from '../../base/clock/real-globals.ts';
import { encodeSongTag } from '../mp3/id3-tag.ts';
import { encodeMp3, frameCount, infoFrameFor, SONG_FORMAT } from '../mp3/stream-format.ts';
import type { RenderedFile, RenderTools, SongRequest } from '../render-request.ts';
import type { FormBar, Phrase, SongForm } from './form-plan.ts';
import { type SynthesizedSong, synthesizeSong } from './synthesize-song.ts';

const PIECE = 48_000;

export async function renderSong(request: SongRequest, target: string, tools: RenderTools): Promise<RenderedFile> {
  const synthesized = synthesizeSong(request, async () => {
    await yieldToEventLoop();
    tools.signal.throwIfAborted();
  });
  const spliced = synthesized.then(spliceSource);
  const [{ song, plan }, encoded] = await Promise.all([spliced, encodeMp3(pieces(spliced, tools), SONG_FORMAT, tools)]);
  const frames = spliceFrames(song, plan, encoded);
  const heard = song.form.bars.length * song.barSamples;
  const info = infoFrameFor(frames, heard, SONG_FORMAT);
  const tag = encodeSongTag(request, song.description, info.length + frames.length);
  await writeFile(target, Buffer.concat([tag, info, frames]));
  return {
    bytes: tag.length + info.length + frames.length,
    contentType: 'audio/mpeg',
    seconds: heard / SONG_FORMAT.sampleRate,
  };
}

async function* pieces(spliced: Promise<SplicedSong>, { signal }: RenderTools): AsyncGenerator<Int16Array> {
  const { samples } = await spliced;
  for (let at = 0; at < samples.length; at += PIECE * SONG_FORMAT.channels) {
    signal.throwIfAborted();
    yield samples.subarray(at, at + PIECE * SONG_FORMAT.channels);
  }
}

const { frameBytes, frameSamples, channels } = SONG_FORMAT;
const FRAME_VALUES = frameSamples * channels;

interface SplicedSong {
  song: SynthesizedSong;
  plan: SplicePlan;
  samples: Int16Array;
}

function spliceSource(song: SynthesizedSong): SplicedSong {
  const barFrames = song.barSamples / frameSamples;
  const plan = planSplices(song.form, barFrames);
  const samples = new Int16Array(plan.frames * FRAME_VALUES);
  song.phrases.forEach((phrase, i) => {
    samples.set(phrase, (plan.phraseStarts[i] ?? 0) * FRAME_VALUES);
  });
  const barStart = ({ phrase, bar }: FormBar) => (plan.phraseStarts[phrase] ?? 0) + bar * barFrames;
  for (const { from, to, start } of plan.joins) {
    const before = barStart(from) + barFrames - JOIN_BEFORE;
    copyFrames(samples, { from: before, count: JOIN_BEFORE, to: start });
    copyFrames(samples, { from: barStart(to), count: JOIN_AFTER, to: start + JOIN_BEFORE });
    crossfadeJoin(samples, (start + JOIN_BEFORE) * frameSamples, { from, to }, song.form.phrases);
  }
  return { song, plan, samples };
}

function copyFrames(samples: Int16Array, { from, count, to }: Record<'from' | 'count' | 'to', number>) {
  samples.copyWithin(to * FRAME_VALUES, from * FRAME_VALUES, (from + count) * FRAME_VALUES);
}

/**
 * Joins the bars of a song. A frame depends on the 24 ms before it and on its neighbours. At a join, the last frame before
 * it and the first two after it come from a snippet in which both bars follow each other.
 */
function spliceFrames(song: SynthesizedSong, plan: SplicePlan, encoded: Buffer): Buffer {
  const barFrames = song.barSamples / frameSamples;
  const { bars } = song.form;
  const total = frameCount(bars.length * song.barSamples, SONG_FORMAT);
  const output = Buffer.alloc(total * frameBytes);
  const copy = (from: number, count: number, to: number) =>
    encoded.copy(output, to * frameBytes, from * frameBytes, (from + count) * frameBytes);
  bars.forEach(({ phrase, bar }, i) => {
    copy((plan.phraseStarts[phrase] ?? 0) + bar * barFrames, barFrames, i * barFrames);
  });
  copy(plan.silenceStart, total - bars.length * barFrames, bars.length * barFrames);
  const joins = new Map(plan.joins.map((join) => [joinName(join.from, join.to), join.start]));
  neighbouringPairs(bars).forEach(([from, to], i) => {
    const start = joins.get(joinName(from, to));
    if (isNextBar(from, to) || start === undefined) return;
    copy(start + JOIN_BEFORE - 1, JOIN_TAKEN, (i + 1) * barFrames - 1);
  });
  return output;
}

/** Frames of a snippet before its join: two to warm up and the last one. After it come two frames and one to look ahead. */
const JOIN_BEFORE = 3;
const JOIN_AFTER = 3;
const JOIN_TAKEN = 3;

interface SplicePlan {
  phraseStarts: number[];
  silenceStart: number;
  joins: Join[];
  frames: number;
}

interface Join {
  from: FormBar;
  to: FormBar;
  start: number;
}

const SILENT_FRAMES = 3;

function planSplices(form: SongForm, barFrames: number): SplicePlan {
  const phraseStarts: number[] = [];
  let frames = 0;
  for (const { bars } of form.phrases) {
    phraseStarts.push(frames);
    frames += bars * barFrames;
  }
  const silenceStart = frames;
  frames += SILENT_FRAMES;
  const joins = new Map<string, Join>();
  for (const [from, to] of neighbouringPairs(form.bars)) {
    const name = joinName(from, to);
    if (isNextBar(from, to) || joins.has(name)) continue;
    joins.set(name, { from, to, start: frames });
    frames += JOIN_BEFORE + JOIN_AFTER;
  }
  return { phraseStarts, silenceStart, joins: [...joins.values()], frames };
}

function neighbouringPairs<T>(items: T[]): [T, T][] {
  return items.slice(1).map((item, i) => [items[i] as T, item]);
}

function isNextBar(from: FormBar, to: FormBar): boolean {
  return from.phrase === to.phrase && from.bar + 1 === to.bar;
}

function joinName(from: FormBar, to: FormBar): string {
  return `${from.phrase}.${from.bar}>${to.phrase}.${to.bar}`;
}

/** The lengths, in samples, of the fades before and after a join of two bars, which are too short to be heard. */
const FADE_OUT = 360;
const FADE_IN = 96;

function crossfadeJoin(
  samples: Int16Array,
  at: number,
  { from, to }: Pick<Join, 'from' | 'to'>,
  phrases: Phrase[],
): void {
  const wentOn = from.bar + 1 < (phrases[from.phrase]?.bars ?? 1);
  if (wentOn) fade(samples, FADE_OUT, (i) => at - 1 - i);
  if (to.bar > 0) fade(samples, FADE_IN, (i) => at + i);
}

function fade(samples: Int16Array, length: number, place: (i: number) => number): void {
  for (let i = 0; i < length; i++) {
    for (const index of [2 * place(i), 2 * place(i) + 1]) {
      samples[index] = ((samples[index] ?? 0) * i) / length;
    }
  }
}
