import type { Canvas } from '../paint/canvas.ts';
import type { Lettering } from '../paint/lettering.ts';
import { blend } from '../paint/palette.ts';
import { visibleText, wrapText } from '../paint/wrap-text.ts';
import { BLOCK, type ClipLayout, FRAMES_PER_SECOND, TIME_CELLS } from './clip-layout.ts';
import { drawEmblem, type EngineLook } from './engine-look.ts';
import type { SlateState } from './motion-field.ts';
import type { Storyboard } from './storyboard.ts';

export interface SlateText {
  engine: string;
  prompt: string;
  seed: number;
}

/** Draws the slate at the foot of a picture, and the strip from which later frames take digits and line. */
export class SlateArtist {
  readonly #canvas: Canvas;
  readonly #lettering: Lettering;
  readonly #layout: ClipLayout;
  readonly #look: EngineLook;
  readonly #places: { bar: number; dim: number; accent: number; white: number; pale: number };

  constructor(canvas: Canvas, lettering: Lettering, layout: ClipLayout, look: EngineLook) {
    this.#canvas = canvas;
    this.#lettering = lettering;
    this.#layout = layout;
    this.#look = look;
    const { palette } = canvas;
    this.#places = {
      bar: palette.ensure(look.bar),
      dim: palette.ensure(blend(look.bar, 0xffffff, 0.22)),
      accent: palette.ensure(look.accent),
      white: palette.ensure(0xf6f7fa),
      pale: palette.ensure(blend(look.bar, 0xffffff, 0.62)),
    };
  }

  draw(text: SlateText, state: SlateState): void {
    const { columns, barRow: row, barRows, width, textSize } = this.#layout;
    const top = row * BLOCK;
    this.#canvas.fillBox([0, top, columns * BLOCK, top + barRows * BLOCK], this.#places.bar);
    this.#line(row, 0, width, this.#places.dim);
    this.#line(row, 0, state.filled, this.#places.accent);
    this.#time(state.time);
    const [left, size] = [BLOCK, Math.round(textSize * 1.05)];
    const baseline = top + BLOCK + Math.round(textSize * 1.05);
    drawEmblem(this.#canvas, this.#look, {
      x: left + size * 0.45,
      y: baseline - size * 0.36,
      size: size * 0.55,
    });
    const label = `${visibleText(text.engine)}  ·  placeholder  ·  seed ${text.seed}`;
    this.#write(fitted(this.#lettering, label, this.#room() - size * 1.4, size), {
      x: left + size * 1.4,
      baseline,
      place: this.#places.accent,
    });
    const lines = wrapText(visibleText(text.prompt), this.#room(), 2, (part) =>
      this.#lettering.measure(part, textSize),
    );
    for (const [at, line] of lines.entries()) {
      const y = baseline + Math.round(textSize * (1.35 + at * 1.25));
      this.#lettering.draw(this.#canvas, line, {
        x: left,
        baseline: y,
        size: textSize,
        place: this.#places.white,
      });
    }
  }

  /** The hidden strip: a filled line, below it the beginnings of one, beside both ten digits. */
  drawStrip(): void {
    const { columns, stripRow, cell, partColumn, atlasColumn } = this.#layout;
    const top = stripRow * BLOCK;
    this.#canvas.fillBox([0, top, columns * BLOCK, this.#canvas.height], this.#places.bar);
    this.#line(stripRow, 0, atlasColumn * BLOCK, this.#places.accent);
    for (let part = 1; part < BLOCK; part++) {
      const x = (partColumn + part) * BLOCK;
      this.#line(stripRow + 1, x, x + BLOCK, this.#places.dim);
      this.#line(stripRow + 1, x, x + part, this.#places.accent);
    }
    for (let digit = 0; digit < 10; digit++) this.#cell(`${digit}`, atlasColumn + digit * cell, stripRow);
  }

  #room(): number {
    return (this.#layout.timeColumn - 2) * BLOCK;
  }

  #line(row: number, from: number, to: number, place: number): void {
    const top = row * BLOCK;
    this.#canvas.fillBox([from, top, to, top + 3 + this.#layout.cell * 2], place);
  }

  #time(time: string): void {
    const { timeColumn, timeRow, cell } = this.#layout;
    for (let place = 0; place < TIME_CELLS; place++) {
      this.#cell(time[place] ?? ' ', timeColumn + place * cell, timeRow);
    }
  }

  #cell(character: string, column: number, row: number): void {
    const side = this.#layout.cell * BLOCK;
    const size = Math.round(side * 1.6);
    const x = column * BLOCK + Math.round((side - this.#lettering.measure(character, size)) / 2);
    const baseline = row * BLOCK + Math.round(side * 1.5);
    this.#lettering.draw(this.#canvas, character, { x, baseline, size, place: this.#places.white });
  }

  #write(text: string, at: { x: number; baseline: number; place: number }): void {
    this.#lettering.draw(this.#canvas, text, {
      ...at,
      size: Math.round(this.#layout.textSize * 1.05),
    });
  }
}

function fitted(lettering: Lettering, text: string, width: number, size: number): string {
  return wrapText(text, width, 1, (part) => lettering.measure(part, size))[0] ?? '';
}

/** `00:07:15`: minutes, seconds and frames. */
function timeCode(frame: number, framesPerSecond: number): string {
  const two = (value: number) => `${value}`.padStart(2, '0');
  const seconds = Math.floor(frame / framesPerSecond);
  return `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}:${two(frame % framesPerSecond)}`;
}

/** What the slate shows in a frame of the clip. */
export function slateState(layout: ClipLayout, board: Storyboard, frame: number): SlateState {
  const time = timeCode(frame, FRAMES_PER_SECOND);
  return { time, filled: Math.round((layout.width * (frame + 1)) / board.frames) };
}
