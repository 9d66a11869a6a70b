import type { CodedSize } from '../h264/stream-parameters.ts';

export const FRAMES_PER_SECOND = 24;
export const BLOCK = 16;
export const TIME_CELLS = 8;

/** Positions in macroblocks. A hidden strip below the shown part holds digits and bars for later frames to copy. */
export interface ClipLayout {
  width: number;
  height: number;
  columns: number;
  rows: number;
  barRow: number;
  barRows: number;
  stripRow: number;
  cell: number;
  timeColumn: number;
  timeRow: number;
  atlasColumn: number;
  partColumn: number;
  textSize: number;
}

/** The strip is as low as its digits, so that 1080p stays within level 4.2. */
export function layOut({ width, height }: { width: number; height: number }): ClipLayout {
  const short = Math.min(width, height);
  const cell = short < 1000 ? 1 : 2;
  const textSize = Math.max(15, Math.round(short / 36));
  const barRow = Math.floor((height - (BLOCK + 8 + Math.ceil(textSize * 4))) / BLOCK);
  const stripRow = Math.ceil(height / BLOCK);
  const barRows = stripRow - barRow;
  const timeColumn = Math.floor(width / BLOCK) - (TIME_CELLS + 1) * cell;
  const atlasColumn = timeColumn + (TIME_CELLS - 10) * cell;
  return {
    width,
    height,
    cell,
    textSize,
    columns: Math.ceil(width / BLOCK),
    rows: stripRow + 2 * cell,
    barRow,
    barRows,
    stripRow,
    timeColumn,
    timeRow: barRow + 1 + (cell - 1),
    atlasColumn,
    partColumn: atlasColumn - BLOCK,
  };
}

export function codedSize(layout: ClipLayout): CodedSize {
  const { columns, rows, width, height } = layout;
  return { columns, rows, crop: { width, height }, framesPerSecond: FRAMES_PER_SECOND };
}

export interface Stretch {
  from: number;
  frames: number;
  isLast?: boolean;
}

export interface Storyboard {
  frames: number;
  step: number;
  stretches: Stretch[];
}

/** A key picture costs as much as hundreds of other frames. */
const MOST_KEYS = 3;
const SECONDS_APART = 5;
const LAST = 18;

export function planStoryboard(seconds: number, given: { begins: boolean; ends: boolean }): Storyboard {
  const frames = seconds * FRAMES_PER_SECOND;
  const moving = frames - (given.ends ? Math.min(LAST, Math.floor(frames / 3)) : 0);
  const keys = Math.min(MOST_KEYS, Math.ceil(seconds / SECONDS_APART));
  const step = Math.ceil(moving / keys);
  const alone = given.begins ? 1 : 0;
  const stretches: Stretch[] = given.begins ? [{ from: 0, frames: alone }] : [];
  for (let from = alone; from < moving; from += step) {
    stretches.push({ from, frames: Math.min(step, moving - from) });
  }
  if (given.ends) stretches.push({ from: moving, frames: frames - moving, isLast: true });
  return { frames, step, stretches };
}

export interface ClipFrames {
  samples: Buffer[][];
  keys: number[];
}
