import { hashText } from '../paint/seeded-random.ts';
import { wave } from '../paint/smooth-noise.ts';

/** How the camera moves between two key pictures; the moves add up over the clip. */
export interface CameraMove {
  name: ShotName;
  /** Pixels that the picture shifts: the camera goes right, or up. */
  right: number;
  up: number;
  /** How much larger the picture grows. */
  zoom: number;
  /** Pixels that the camera sways up and down like somebody who walks. */
  bob: number;
}

export type ShotName = 'static' | 'pan' | 'tilt' | 'zoom' | 'dolly' | 'orbit';

/** From scene units to pixels of the coded picture. */
export interface CameraView {
  scale: number;
  x: number;
  y: number;
}

/** Pixels that a key picture is wider or higher than what is shown of it, at most. */
const MOST_SHIFT = 192;

const WORDS: Record<ShotName, string> = {
  static: 'static still locked fixed tripod steady none',
  pan: 'pan panning track tracking truck lateral sideways left right sweep whip',
  tilt: 'tilt crane pedestal up down rise boom jib aerial drone',
  zoom: 'zoom close closeup macro punch crash',
  dolly: 'dolly push walk handheld pov follow forward steadicam',
  orbit: 'orbit arc circle around rotate rotating spin',
};
const NAMES = Object.keys(WORDS) as ShotName[];

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
export function cameraMove(name: ShotName, size: { height: number; seconds: number; inside: boolean }): CameraMove {
  const reach = size.height * 0.025 * size.seconds;
  const still: CameraMove = { name, right: 0, up: 0, zoom: 1, bob: 0 };
  if (size.inside) return { ...still, zoom: name === 'static' ? 1 : 1 + 0.011 * size.seconds };
  const even = (pixels: number) => Math.min(MOST_SHIFT, 2 * Math.round(pixels / 2));
  switch (name) {
    case 'static':
      return still;
    case 'pan':
      return { ...still, right: even(reach) };
    case 'tilt':
      return { ...still, up: even(reach * 0.3) };
    case 'zoom':
      return { ...still, zoom: 1 + 0.011 * size.seconds };
    case 'dolly':
      return { ...still, zoom: 1 + 0.009 * size.seconds, bob: size.height / 240 };
    case 'orbit':
      return { ...still, right: even(reach * 0.7), zoom: 1 + 0.004 * size.seconds };
  }
}

/** Where a point of the shown picture lies in the key picture, `share` of the way to the next one. */
export function sourcePoint(
  move: CameraMove,
  centre: { x: number; y: number },
  share: number,
): { scale: number; x: number; y: number } {
  const scale = 1 + (move.zoom - 1) * share;
  const sway = move.bob * wave(share * 4);
  return {
    scale: 1 / scale,
    x: centre.x - centre.x / scale + move.right * share,
    y: centre.y - centre.y / scale - move.up * share + sway,
  };
}

/** The view of the next key picture, so that it shows exactly what the move has arrived at. */
export function nextView(view: CameraView, move: CameraMove, centre: { x: number; y: number }): CameraView {
  return {
    scale: view.scale * move.zoom,
    x: centre.x + (view.x - centre.x - move.right) * move.zoom,
    y: centre.y + (view.y - centre.y + move.up) * move.zoom,
  };
}
