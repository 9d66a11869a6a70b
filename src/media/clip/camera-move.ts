import type { MotionField } from '../h264/slices.ts';
import { approximateSine, seededHash } from '../paint/seeded-random.ts';
import { type ClipLayout, MACROBLOCK_PIXELS, type SlateState, TIMECODE_LENGTH } from './clip-layout.ts';

/**
 * `centre` stays in place while the camera zooms. It lies within the key picture, so that frames copy nothing from
 * outside.
 */
export interface CameraMove {
  centre: Point;
  zoom: number;
  sway: number;
  roams: boolean;
}

export type ShotName = 'static' | 'pan' | 'tilt' | 'zoom' | 'dolly' | 'orbit';

interface Point {
  x: number;
  y: number;
}

interface ClearArea {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const WORDS: Record<ShotName, string> = {
  static: 'static still locked fixed tripod steady none',
  pan: 'pan panning track tracking truck lateral sideways left right sweep whip',
  tilt: 'tilt crane pedestal up down rise boom jib aerial drone',
  zoom: 'zoom close closeup macro punch crash',
  dolly: 'dolly push walk handheld pov follow forward steadicam',
  orbit: 'orbit arc circle around rotate rotating spin',
};
const NAMES = Object.keys(WORDS) as ShotName[];

const GROWTH: Record<ShotName, number> = {
  static: 0,
  pan: 0.014,
  tilt: 0.01,
  zoom: 0.011,
  dolly: 0.009,
  orbit: 0.012,
};
/** The largest zoom from one key picture to the next, as a share. A larger one would show seams between macroblocks. */
const MAX_ZOOM = 0.06;
const EDGE = 8;

export function chooseShot(shot: string | undefined, seed: number): ShotName {
  const words = (shot ?? '').toLowerCase().match(/[a-z]+/g) ?? [];
  const named = words.map((word) => NAMES.find((name) => WORDS[name].split(' ').includes(word)));
  const found = named.find((name) => name !== undefined);
  if (found) return found;
  const moving = NAMES.filter((name) => name !== 'static');
  return moving[seededHash(shot ?? '', seed) % moving.length] ?? 'pan';
}

/** `inside` keeps the camera in the middle, which a given first picture needs. */
export function cameraMove(name: ShotName, area: ClearArea, size: { seconds: number; inside: boolean }): CameraMove {
  const { left, top, right, bottom } = area;
  const middle = { x: (left + right) / 2, y: (top + bottom) / 2 };
  const centres: Partial<Record<ShotName, Point>> = {
    pan: { x: right - EDGE, y: middle.y },
    tilt: { x: middle.x, y: top + 2 * EDGE },
    orbit: { x: left + (right - left) * 0.8, y: middle.y },
  };
  const aside = size.inside ? undefined : centres[name];
  return {
    centre: aside ?? middle,
    zoom: 1 + Math.min(MAX_ZOOM, GROWTH[name] * size.seconds),
    sway: name === 'dolly' && !size.inside ? (bottom - top) * 0.12 : 0,
    roams: aside !== undefined,
  };
}

function sourcePoint(move: CameraMove, share: number): { scale: number; x: number; y: number } {
  const scale = 1 / (1 + (move.zoom - 1) * share);
  const y = move.centre.y + move.sway * approximateSine(share * 4);
  return { scale, x: move.centre.x * (1 - scale), y: y * (1 - scale) };
}

interface Mover extends StillArea {
  pixels: number;
  swings: number;
}

export interface StillArea {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface SceneMotion {
  move: CameraMove;
  mover?: Mover;
  still: StillArea[];
}

export function computeSceneMotionField(layout: ClipLayout, motion: SceneMotion, share: number): MotionField {
  const { columns, barRow } = layout;
  const vectors = new Int16Array(columns * barRow * 2);
  const source = sourcePoint(motion.move, share);
  const across = Int16Array.from({ length: columns }, (_, column) => {
    const x = column * MACROBLOCK_PIXELS + 8;
    return Math.round(4 * (source.x + x * source.scale - x));
  });
  let at = 0;
  for (let row = 0; row < barRow; row++) {
    if (row % 2 === 1) {
      vectors.copyWithin(at, at - 2 * columns, at);
      at += 2 * columns;
      continue;
    }
    const y = row * MACROBLOCK_PIXELS + MACROBLOCK_PIXELS;
    const vertical = Math.round(4 * (source.y + y * source.scale - y));
    for (const shift of across) {
      vectors[at++] = shift;
      vectors[at++] = vertical;
    }
  }
  if (motion.mover) move(vectors, { columns, rows: barRow }, motion.mover, share);
  for (const box of motion.still) hold(vectors, { columns, rows: barRow }, box);
  return { columns, firstRow: 0, rows: barRow, vectors };
}

function hold(vectors: Int16Array, size: { columns: number; rows: number }, part: StillArea): void {
  const reach = 8;
  const from = { column: part.x / MACROBLOCK_PIXELS - reach, row: part.y / MACROBLOCK_PIXELS - reach };
  const to = {
    column: (part.x + part.width) / MACROBLOCK_PIXELS + reach,
    row: (part.y + part.height) / MACROBLOCK_PIXELS + reach,
  };
  for (let row = Math.max(0, from.row); row < Math.min(size.rows, to.row); row++) {
    for (let column = Math.max(0, from.column); column < Math.min(size.columns, to.column); column++) {
      const at = (row * size.columns + column) * 2;
      const x = column * MACROBLOCK_PIXELS + (vectors[at] ?? 0) / 4;
      const y = row * MACROBLOCK_PIXELS + (vectors[at + 1] ?? 0) / 4;
      const own = overlaps(part, column * MACROBLOCK_PIXELS, row * MACROBLOCK_PIXELS);
      if (own || overlaps(part, x, y)) vectors.fill(0, at, at + 2);
    }
  }
}

function overlaps(part: StillArea, x: number, y: number): boolean {
  return (
    x < part.x + part.width &&
    x + MACROBLOCK_PIXELS > part.x &&
    y < part.y + part.height &&
    y + MACROBLOCK_PIXELS > part.y
  );
}

const REACH = 7;

function move(vectors: Int16Array, size: { columns: number; rows: number }, mover: Mover, share: number): void {
  const aside = mover.pixels * approximateSine(share * mover.swings);
  const away = (place: number, from: number, to: number) =>
    Math.max(0, from - place, place - to) / (MACROBLOCK_PIXELS * REACH);
  for (let row = 0; row < size.rows; row++) {
    const far = away(row * MACROBLOCK_PIXELS + 8, mover.y, mover.y + mover.height);
    for (let column = 0; far < 1 && column < size.columns; column++) {
      const near = 1 - Math.max(far, away(column * MACROBLOCK_PIXELS + 8, mover.x, mover.x + mover.width));
      if (near <= 0) continue;
      const at = (row * size.columns + column) * 2;
      vectors[at] = (vectors[at] as number) - Math.round(4 * aside * near);
    }
  }
}

export function computeSlateMotionField(layout: ClipLayout, shown: SlateState, key: SlateState): MotionField {
  const { columns, barRow, rows, stripRow, atlasColumn } = layout;
  const vectors = new Int16Array(columns * (rows - barRow) * 2);
  const point = (column: number, row: number, toColumn: number, toRow: number) => {
    const at = ((row - barRow) * columns + column) * 2;
    vectors[at] = (toColumn - column) * MACROBLOCK_PIXELS * 4;
    vectors[at + 1] = (toRow - row) * MACROBLOCK_PIXELS * 4;
  };
  const full = Math.floor(shown.filled / MACROBLOCK_PIXELS);
  const aside = columns - atlasColumn;
  for (let column = 0; column < Math.min(full, columns); column++) {
    point(column, barRow, column < atlasColumn ? column : column - aside, stripRow);
  }
  const part = shown.filled % MACROBLOCK_PIXELS;
  if (part > 0 && full < columns) point(full, barRow, layout.partColumn + part, stripRow + 1);
  pointDigits(layout, shown.time, key.time, point);
  return { columns, firstRow: barRow, rows: rows - barRow, vectors };
}

function pointDigits(
  layout: ClipLayout,
  time: string,
  painted: string,
  point: (column: number, row: number, toColumn: number, toRow: number) => void,
): void {
  const { cell } = layout;
  for (let place = 0; place < TIMECODE_LENGTH; place++) {
    const digit = time.charCodeAt(place) - 48;
    if (digit > 9 || time[place] === painted[place]) continue;
    for (let part = 0; part < cell * cell * 2; part++) {
      const [across, down] = [part % cell, Math.floor(part / cell)];
      point(
        layout.timeColumn + place * cell + across,
        layout.timeRow + down,
        layout.atlasColumn + digit * cell + across,
        layout.stripRow + down,
      );
    }
  }
}
