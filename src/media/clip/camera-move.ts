import { hashText, wave } from '../paint/seeded-random.ts';

/**
 * How the camera moves between two key pictures; the moves add up over the clip. Every move is one towards a point that
 * lies within the scene: what comes into view was in view before, so that no scenery is needed beyond it.
 */
export interface CameraMove {
  /** The pixel that stays where it is. */
  centre: Point;
  /** How much larger the picture grows. */
  zoom: number;
  /** Pixels by which the centre sways up and down, as for somebody who walks. */
  sway: number;
  /** Whether the middle of the way shows the middle of the scene, or the beginning does. */
  roams: boolean;
}

export type ShotName = 'static' | 'pan' | 'tilt' | 'zoom' | 'dolly' | 'orbit';

interface Point {
  x: number;
  y: number;
}

/** The part of the picture in which the scene is seen, in pixels. */
export interface ClearArea {
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

/** How much the picture grows in a second. */
const GROWTH: Record<ShotName, number> = {
  static: 0,
  pan: 0.014,
  tilt: 0.01,
  zoom: 0.011,
  dolly: 0.009,
  orbit: 0.012,
};
/** More in one go would show where macroblocks that move apart meet. */
const MOST_GROWTH = 0.06;
/** Half a macroblock from an edge: the outermost ones then stay where they are. */
const EDGE = 8;

/** Any word finds a move: one it names, or one chosen by the word itself; none at all follows from the clip's seed. */
export function shotNamed(shot: string | undefined, seed: number): ShotName {
  const words = (shot ?? '').toLowerCase().match(/[a-z]+/g) ?? [];
  const named = words.map((word) => NAMES.find((name) => WORDS[name].split(' ').includes(word)));
  const found = named.find((name) => name !== undefined);
  if (found) return found;
  const moving = NAMES.filter((name) => name !== 'static');
  return moving[hashText(shot ?? '', seed) % moving.length] ?? 'pan';
}

/** The move between two key pictures, `seconds` apart; a given first picture is entered, never left sideways. */
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
    zoom: 1 + Math.min(MOST_GROWTH, GROWTH[name] * size.seconds),
    sway: name === 'dolly' && !size.inside ? (bottom - top) * 0.12 : 0,
    roams: aside !== undefined,
  };
}

/** Where a point of the shown picture lies in the key picture, `share` of the way to the next one: `x * scale + x0`, and so for y. */
export function sourcePoint(move: CameraMove, share: number): { scale: number; x: number; y: number } {
  const scale = 1 / (1 + (move.zoom - 1) * share);
  const y = move.centre.y + move.sway * wave(share * 4);
  return { scale, x: move.centre.x * (1 - scale), y: y * (1 - scale) };
}
