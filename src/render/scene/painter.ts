import { type Canvas, fillShape } from '../paint/canvas.ts';
import { EDGE_STEPS, type Rgb } from '../paint/palette.ts';
import { SkylineFill } from '../paint/skyline-fill.ts';
import { type FigureShape, MIDDLE, RIM, RIMMED, Silhouettes } from './figure-set.ts';

/** Pixels per scene unit, and the pixel of scene point 0, 0. A unit is the picture's height; y grows downwards from its top. */
export interface View {
  scale: number;
  x: number;
  y: number;
}

export interface Placed {
  x: number;
  y: number;
  /** Longer side, in scene units. */
  size: number;
  colour: Rgb;
  flip?: boolean;
}

/** Where a shape stands, and how large its unit is. */
interface Placing {
  x: number;
  y: number;
  across: number;
  down: number;
}

/** Draws in scene units, so that a scene looks the same at every size and from every camera. */
export class Painter {
  readonly canvas: Canvas;
  readonly view: View;
  readonly silhouettes: Silhouettes;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;

  constructor(canvas: Canvas, view: View, silhouettes = new Silhouettes()) {
    this.canvas = canvas;
    this.view = view;
    this.silhouettes = silhouettes;
    this.left = -view.x / view.scale;
    this.right = (canvas.width - view.x) / view.scale;
    this.top = -view.y / view.scale;
    this.bottom = (canvas.height - view.y) / view.scale;
  }

  row(y: number): number {
    return Math.round(y * this.view.scale + this.view.y);
  }

  column(x: number): number {
    return Math.round(x * this.view.scale + this.view.x);
  }

  place(colour: Rgb): number {
    return this.canvas.palette.add(colour);
  }

  /** Fills all that lies below a line, from its highest point to the bottom, with shades from top to bottom over `depth`. */
  below(line: (x: number) => number, shades: readonly Rgb[], depth: number): void {
    const { scale, x: originX, y: originY } = this.view;
    const tops = new Float32Array(this.canvas.width);
    for (let column = 0; column < tops.length; column++) {
      tops[column] = line((column + 0.5 - originX) / scale) * scale + originY;
    }
    const places = shades.map((shade) => this.place(shade));
    new SkylineFill(this.canvas, tops).paint(places, depth * scale);
  }

  /** Fills closed contours given in scene units as `x, y` pairs. */
  polygon(points: readonly number[], colour: Rgb): void {
    fillShape(this.canvas, [this.#pixels(points)], this.place(colour));
  }

  disc(x: number, y: number, radius: number, colour: Rgb): void {
    const place = this.place(colour);
    const { scale } = this.view;
    const [cx, cy, r] = [x * scale + this.view.x, y * scale + this.view.y, radius * scale];
    for (let py = Math.floor(cy - r - 1); py <= cy + r + 1; py++) {
      const dy = py + 0.5 - cy;
      const half = Math.sqrt(Math.max(0, r * r - dy * dy));
      if (half > 0) this.span(py, [cx - half, cx + half], place);
    }
  }

  /** One row of pixels between two exact places. */
  span(y: number, [from, to]: [number, number], place: number): void {
    const [first, last] = [Math.ceil(from), Math.floor(to)];
    if (first > last) {
      this.canvas.touch(last, y, place, Math.round((to - from) * EDGE_STEPS));
      return;
    }
    this.canvas.touch(first - 1, y, place, Math.round((first - from) * EDGE_STEPS));
    this.canvas.fillRow(y, first, last, place);
    this.canvas.touch(last, y, place, Math.round((to - last) * EDGE_STEPS));
  }

  box(x: number, y: number, [width, height]: [number, number], colour: Rgb): void {
    const [left, top] = [this.column(x), this.row(y)];
    const [right, bottom] = [this.column(x + width), this.row(y + height)];
    this.canvas.fillBox([left, top, Math.max(right, left + 1), Math.max(bottom, top + 1)], this.place(colour));
  }

  silhouette(name: string, placed: Placed): void {
    const shape = this.silhouettes.shape(name);
    const size = placed.size / 1000;
    const across = placed.flip ? -size : size;
    const contours = shape.map((points) => this.#pixels(points, { ...placed, across, down: size }));
    fillShape(this.canvas, contours, this.place(placed.colour));
  }

  /** A coloured figure, each layer in its colour; `around` paints them that much larger on all sides, for a rim. */
  figure(shape: FigureShape, placed: Omit<Placed, 'colour'>, colours: readonly Rgb[], around = 0): void {
    const across = placed.flip ? -placed.size : placed.size;
    const steps = around > 0 ? RIM : MIDDLE;
    for (const [at, { contours, area }] of shape.layers.entries()) {
      // Small parts lie within larger ones, which have the rim.
      if (around > 0 && area < RIMMED) continue;
      const place = this.place(colours[at] ?? 0);
      for (const [right, down] of steps) {
        const placing = { x: placed.x + right * around, y: placed.y + down * around, across, down: placed.size };
        const pixels = contours.map((points) => this.#pixels(points, placing));
        fillShape(this.canvas, pixels, place);
      }
    }
  }

  /** A flat ellipse through which the ground is seen. */
  shadow(x: number, y: number, [width, height]: [number, number], colour: Rgb): void {
    const place = this.place(colour);
    const { scale } = this.view;
    const [cx, cy, down] = [x * scale + this.view.x, y * scale + this.view.y, (height / 2) * scale];
    for (let row = Math.ceil(cy - down); row <= cy + down; row++) {
      const share = (row + 0.5 - cy) / down;
      const half = (width / 2) * scale * Math.sqrt(Math.max(0, 1 - share * share));
      this.canvas.glazeRow(row, Math.round(cx - half), Math.round(cx + half), { place, step: 2 });
    }
  }

  /** Pixels of scene points, or of a shape's own points that are placed in the scene. */
  #pixels(points: readonly number[], placed: Placing = { x: 0, y: 0, across: 1, down: 1 }): number[] {
    const { scale } = this.view;
    const [x, y] = [placed.x * scale + this.view.x, placed.y * scale + this.view.y];
    const [across, down] = [placed.across * scale, placed.down * scale];
    const pixels: number[] = [];
    for (let at = 0; at < points.length; at += 2) {
      pixels.push((points[at] ?? 0) * across + x, (points[at + 1] ?? 0) * down + y);
    }
    return pixels;
  }
}
