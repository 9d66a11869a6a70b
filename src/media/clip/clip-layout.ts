import type { CodedSize } from '../h264/stream-parameters.ts';

export const FRAMES_PER_SECOND = 24;
export const BLOCK = 16;
/** Characters of the time code, `00:07:15`: minutes, seconds, frames. */
export const TIME_CELLS = 8;

/**
 * Where everything lies in the coded picture, in macroblocks. Below the part that is shown there is a strip that is not:
 * digits and bars wait there for later frames to point at.
 */
export interface ClipLayout {
  width: number;
  height: number;
  columns: number;
  rows: number;
  /** The slate at the foot of the picture. */
  barRow: number;
  barRows: number;
  /** The hidden strip. */
  stripRow: number;
  /** A digit is so many macroblocks wide and twice as high. */
  cell: number;
  timeColumn: number;
  timeRow: number;
  atlasColumn: number;
  partColumn: number;
  textSize: number;
}

/** The strip is as low as its digits, so that 1080p keeps to level 4.2. */
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
