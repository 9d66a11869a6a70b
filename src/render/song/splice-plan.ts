import type { FormBar, SongForm } from './form-plan.ts';

/** Frames around a join that are encoded for it: two to warm up and the last before it; the first two after it and one to look ahead. */
export const JOIN_BEFORE = 3;
export const JOIN_AFTER = 3;
/** How many of these the song takes: the last before the join and the first two after it. */
export const JOIN_TAKEN = 3;

/** What is encoded, and how the song is put together from its frames; all places in frames. */
export interface SplicePlan {
  /** Where each phrase begins in what is encoded. */
  phraseStarts: number[];
  /** Frames of silence after the phrases, into which the last bar rings out. */
  silenceStart: number;
  /** Joins of bars that do not follow each other in their phrase: one snippet for each different pair. */
  joins: Join[];
  /** Frames of all that is encoded. */
  frames: number;
}

export interface Join {
  from: FormBar;
  to: FormBar;
  /** Where its snippet begins in what is encoded. */
  start: number;
}

const SILENT_FRAMES = 3;

/** Lays out phrases, then silence, then one snippet for every join that no phrase contains. */
export function planSplices(form: SongForm, barFrames: number): SplicePlan {
  const phraseStarts: number[] = [];
  let frames = 0;
  for (const { bars } of form.phrases) {
    phraseStarts.push(frames);
    frames += bars * barFrames;
  }
  const silenceStart = frames;
  frames += SILENT_FRAMES;
  const joins = new Map<string, Join>();
  for (const [from, to] of pairs(form.bars)) {
    const name = joinName(from, to);
    if (followsIn(from, to) || joins.has(name)) continue;
    joins.set(name, { from, to, start: frames });
    frames += JOIN_BEFORE + JOIN_AFTER;
  }
  return { phraseStarts, silenceStart, joins: [...joins.values()], frames };
}

/** Neighbours in the order of playing. */
export function pairs<T>(items: T[]): [T, T][] {
  return items.slice(1).map((item, i) => [items[i] as T, item]);
}

/** True where the second bar comes right after the first in the same phrase. */
export function followsIn(from: FormBar, to: FormBar): boolean {
  return from.phrase === to.phrase && from.bar + 1 === to.bar;
}

export function joinName(from: FormBar, to: FormBar): string {
  return `${from.phrase}.${from.bar}>${to.phrase}.${to.bar}`;
}
