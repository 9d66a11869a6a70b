import type { CodedFrameFormat } from '../h264/stream-parameters.ts';
import { type Lettering, wrapText } from '../paint/lettering.ts';
import { adjustLightness, blend, formatHexColor, type Rgb } from '../paint/rgb.ts';
import { approximateSine, seededHash } from '../paint/seeded-random.ts';
import type { ClipRequest } from '../render-request.ts';

export const FRAMES_PER_SECOND = 24;
export const MACROBLOCK_PIXELS = 16;
export const TIMECODE_LENGTH = 8;

/**
 * In macroblocks, except `width`, `height` and `textSize`, which are in pixels. Frames copy digits and parts of the bar
 * from a strip that the crop hides.
 */
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

/** The strip is only as high as its digits, so that 1080p stays within level 4.2 of H.264. */
export function layOutClip({ width, height }: { width: number; height: number }): ClipLayout {
  const short = Math.min(width, height);
  const cell = short < 1000 ? 1 : 2;
  const textSize = Math.max(15, Math.round(short / 36));
  const barRow = Math.floor((height - (MACROBLOCK_PIXELS + 8 + Math.ceil(textSize * 4))) / MACROBLOCK_PIXELS);
  const stripRow = Math.ceil(height / MACROBLOCK_PIXELS);
  const barRows = stripRow - barRow;
  const timeColumn = Math.floor(width / MACROBLOCK_PIXELS) - (TIMECODE_LENGTH + 1) * cell;
  const atlasColumn = timeColumn + (TIMECODE_LENGTH - 10) * cell;
  return {
    width,
    height,
    cell,
    textSize,
    columns: Math.ceil(width / MACROBLOCK_PIXELS),
    rows: stripRow + 2 * cell,
    barRow,
    barRows,
    stripRow,
    timeColumn,
    timeRow: barRow + 1 + (cell - 1),
    atlasColumn,
    partColumn: atlasColumn - MACROBLOCK_PIXELS,
  };
}

export function codedFrameFormat(layout: ClipLayout): CodedFrameFormat {
  const { columns, rows, width, height } = layout;
  return { columns, rows, crop: { width, height }, framesPerSecond: FRAMES_PER_SECOND };
}

export interface FrameRange {
  from: number;
  frames: number;
  isLast?: boolean;
}

export interface Storyboard {
  frames: number;
  step: number;
  stretches: FrameRange[];
}

const MAX_KEYS = 3;
const SECONDS_APART = 5;
const LAST = 18;

export function planStoryboard(seconds: number, given: { begins: boolean; ends: boolean }): Storyboard {
  const frames = seconds * FRAMES_PER_SECOND;
  const moving = frames - (given.ends ? Math.min(LAST, Math.floor(frames / 3)) : 0);
  const keys = Math.min(MAX_KEYS, Math.ceil(seconds / SECONDS_APART));
  const step = Math.ceil(moving / keys);
  const alone = given.begins ? 1 : 0;
  const stretches: FrameRange[] = given.begins ? [{ from: 0, frames: alone }] : [];
  for (let from = alone; from < moving; from += step) {
    stretches.push({ from, frames: Math.min(step, moving - from) });
  }
  if (given.ends) stretches.push({ from: moving, frames: frames - moving, isLast: true });
  return { frames, step, stretches };
}

const BAR = 0x12151d;
const WHITE = 0xf6f7fa;
const DIM = blend(BAR, 0xffffff, 0.22);

export function engineAccentColor(engine: string): Rgb {
  const turn = (seededHash(engine) % 97) / 97;
  const part = (shift: number) => Math.round(150 + 90 * approximateSine(turn + shift / 3));
  return adjustLightness((part(0) << 16) | (part(1) << 8) | part(2), 0.1);
}

export class SlatePainter {
  readonly #lettering: Lettering;
  readonly #layout: ClipLayout;
  readonly #accent: Rgb;

  constructor(lettering: Lettering, layout: ClipLayout, engine: string) {
    this.#lettering = lettering;
    this.#layout = layout;
    this.#accent = engineAccentColor(engine);
  }

  draw(text: Pick<ClipRequest, 'engine' | 'prompt' | 'seed'>, state: SlateState): string {
    const { barRow: row, width, textSize } = this.#layout;
    const size = Math.round(textSize * 1.05);
    const label = `${this.#lettering.visible(text.engine)}  ·  placeholder  ·  seed ${text.seed}`;
    const room = (this.#layout.timeColumn - 2) * MACROBLOCK_PIXELS;
    const cut = (said: string, high: number, most: number) =>
      wrapText(said, room, most, (part) => this.#lettering.measure(part, high));
    const caption = cut(this.#lettering.visible(text.prompt), textSize, 2);
    const baseline = row * MACROBLOCK_PIXELS + MACROBLOCK_PIXELS + size + (caption.length === 0 ? textSize : 0);
    const lines = caption.map((line, at) => {
      const down = Math.round(textSize * (1.35 + at * 1.25));
      return this.#lettering.draw(line, {
        x: MACROBLOCK_PIXELS,
        baseline: baseline + down,
        size: textSize,
        colour: WHITE,
      });
    });
    const head = { x: MACROBLOCK_PIXELS, baseline, size, colour: this.#accent };
    return [
      this.#line(row, [0, width], DIM) + this.#line(row, [0, state.filled], this.#accent),
      ...[...state.time].map((sign, place) => this.#timeSign(sign, place)),
      this.#lettering.draw(cut(label, size, 1)[0] ?? '', head),
      ...lines,
    ].join('');
  }

  drawStrip(isBare: boolean): string {
    const { columns, rows, barRow, stripRow, cell, partColumn, atlasColumn } = this.#layout;
    const top = (isBare ? stripRow : barRow) * MACROBLOCK_PIXELS;
    const ground = svgFilledRectangle([0, top, columns * MACROBLOCK_PIXELS, rows * MACROBLOCK_PIXELS], BAR);
    const parts = Array.from({ length: MACROBLOCK_PIXELS - 1 }, (_, at) => {
      const x = (partColumn + at + 1) * MACROBLOCK_PIXELS;
      return (
        this.#line(stripRow + 1, [x, x + MACROBLOCK_PIXELS], DIM) +
        this.#line(stripRow + 1, [x, x + at + 1], this.#accent)
      );
    });
    const digits = Array.from({ length: 10 }, (_, digit) =>
      this.#sign(`${digit}`, atlasColumn + digit * cell, stripRow),
    );
    return [ground, this.#line(stripRow, [0, atlasColumn * MACROBLOCK_PIXELS], this.#accent), ...parts, ...digits].join(
      '',
    );
  }

  #line(row: number, [from, to]: [number, number], colour: Rgb): string {
    return svgFilledRectangle(
      [from, row * MACROBLOCK_PIXELS, to, row * MACROBLOCK_PIXELS + 3 + this.#layout.cell * 2],
      colour,
    );
  }

  #timeSign(sign: string, place: number): string {
    const { timeColumn, timeRow, cell } = this.#layout;
    return place < TIMECODE_LENGTH ? this.#sign(sign, timeColumn + place * cell, timeRow) : '';
  }

  #sign(character: string, column: number, row: number): string {
    const side = this.#layout.cell * MACROBLOCK_PIXELS;
    const size = Math.round(side * 1.6);
    const x = column * MACROBLOCK_PIXELS + Math.round((side - this.#lettering.measure(character, size)) / 2);
    return this.#lettering.draw(character, {
      x,
      baseline: row * MACROBLOCK_PIXELS + Math.round(side * 1.5),
      size,
      colour: WHITE,
    });
  }
}

export function svgFilledRectangle([left, top, right, bottom]: [number, number, number, number], colour: Rgb): string {
  return `<path d="M${left} ${top}H${right}V${bottom}H${left}z" fill="${formatHexColor(colour)}"/>`;
}

export interface SlateState {
  time: string;
  filled: number;
}

export function slateState(layout: ClipLayout, board: Storyboard, frame: number): SlateState {
  return { time: timeCode(frame), filled: Math.round((layout.width * (frame + 1)) / board.frames) };
}

function timeCode(frame: number): string {
  const two = (value: number) => `${value}`.padStart(2, '0');
  const seconds = Math.floor(frame / FRAMES_PER_SECOND);
  return `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}:${two(frame % FRAMES_PER_SECOND)}`;
}
