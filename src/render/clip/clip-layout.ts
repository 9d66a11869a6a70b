import type { CodedSize } from '../h264/stream-parameters.ts';
import type { CameraMove } from './camera-move.ts';

export const FRAMES_PER_SECOND = 24;
export const BLOCK = 16;
/** Characters of the time code, `00:07:15`: minutes, seconds, frames. */
export const TIME_CELLS = 8;

/**
 * Where everything lies in the coded picture, in macroblocks. Around the part that is shown there is room for the camera,
 * and below it a strip that is never shown: digits and bars wait there for later frames to point at.
 */
export interface ClipLayout {
  width: number;
  height: number;
  columns: number;
  rows: number;
  /** Pixels left of and above the part that is shown. */
  left: number;
  top: number;
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
  /** Where the slate waits while the picture itself is shown without it. */
  copyRow: number | undefined;
}

/** `clean` clips begin with a picture that nothing covers. */
export function layOut(size: { width: number; height: number }, move: CameraMove, clean: boolean): ClipLayout {
  const { width, height } = size;
  const short = Math.min(width, height);
  const cell = short < 1000 ? 1 : 2;
  const textSize = Math.max(15, Math.round(short / 36));
  const marginRows = Math.ceil(move.up / BLOCK);
  const shownRows = Math.ceil(height / BLOCK);
  const shownColumns = Math.ceil(width / BLOCK);
  const barRow = marginRows + Math.floor((height - (BLOCK + 8 + Math.ceil(textSize * 4))) / BLOCK);
  const stripRow = marginRows + shownRows;
  const barRows = stripRow - barRow;
  const timeColumn = Math.floor(width / BLOCK) - (TIME_CELLS + 1) * cell;
  const atlasColumn = timeColumn + (TIME_CELLS - 10) * cell;
  return {
    ...{ width, height, left: 0, top: marginRows * BLOCK, cell, textSize },
    columns: shownColumns + Math.ceil(move.right / BLOCK),
    rows: stripRow + 1 + 2 * cell + (clean ? barRows : 0),
    ...{ barRow, barRows, stripRow, timeColumn, timeRow: barRow + 1 + (cell - 1), atlasColumn },
    partColumn: atlasColumn - BLOCK,
    copyRow: clean ? stripRow + 1 + 2 * cell : undefined,
  };
}

export function codedSize(layout: ClipLayout): CodedSize {
  const { columns, rows, left, top, width, height } = layout;
  return { columns, rows, crop: { left, top, width, height }, framesPerSecond: FRAMES_PER_SECOND };
}
