import { Lettering } from '../paint/lettering.ts';
import { along, blend, lighten, type Rgb } from '../paint/rgb.ts';
import type { SeededRandom } from '../paint/seeded-random.ts';
import { FigureSet, Silhouettes } from './figure-set.ts';
import type { Painter } from './painter.ts';
import { Lexicon } from './scene-lexicon.ts';
import type { Light, PlannedFigure, ScenePlan } from './scene-plan.ts';

/** Where a scene is painted: the brush, the plan, and how far the picture reaches to each side of the middle. */
export interface Stage {
  painter: Painter;
  plan: ScenePlan;
  light: Light;
  /** Half the visible width in scene units, before any camera moves. */
  spread: number;
  /** Nothing important lies below; the caption stands there. */
  floor: number;
}

/** A colour of the land at a depth: 0 is lost in the haze, 1 is close by. */
export function tone(light: Light, depth: number, hue: Rgb = light.land): Rgb {
  const body = blend(hue, light.near, light.dark ? 0.72 : 0.42);
  return blend(light.haze, body, Math.min(1, 0.12 + 0.88 * depth));
}

/** Shades from a colour's lit upper edge into the haze that lies at its foot. */
export function fading(light: Light, top: Rgb, count = 5, share = 0.45): Rgb[] {
  return Array.from({ length: count }, (_, at) => blend(top, light.haze, (share * at) / count));
}

/** Shades that grow darker downwards, for what is close. */
export function deepening(top: Rgb, count = 5, share = 0.4): Rgb[] {
  return Array.from({ length: count }, (_, at) => lighten(top, (-share * at) / count));
}

/** What water gives back of the sky, from the horizon to the viewer. */
export function mirrored(light: Light, count: number): Rgb[] {
  const stops = [...light.sky].reverse();
  return Array.from({ length: count }, (_, at) =>
    lighten(blend(along(stops, at / count), light.near, 0.12 + (0.3 * at) / count), -0.06),
  );
}

/** Calls `paint` for each slot of an endless row that can be seen, with a random stream of that slot's own. */
export function eachSlot(
  stage: Stage,
  row: { name: string; step: number; reach: number },
  paint: (x: number, random: SeededRandom) => void,
): void {
  const { painter, plan } = stage;
  const first = Math.floor((painter.left - row.reach) / row.step);
  const last = Math.ceil((painter.right + row.reach) / row.step);
  const random = plan.random.branch(row.name);
  for (let slot = first; slot <= last; slot++) paint(slot * row.step, random.at(slot));
}

/** A figure of a scene where it stands, in scene units: `x` is its middle, `y` its feet. */
export interface PlacedFigure {
  figure: PlannedFigure;
  x: number;
  y: number;
  /** Its longer side. */
  size: number;
  flip: boolean;
}

/** What drawing any scene takes; reading it costs a few milliseconds, so it is read once. */
export interface SceneKit {
  lexicon: Lexicon;
  figures: FigureSet;
  silhouettes: Silhouettes;
  lettering: Lettering;
}

export function readSceneKit(): SceneKit {
  const figures = new FigureSet();
  const lettering = new Lettering((code) => figures.shape(figures.conceptOf(code.toString(16)) ?? ''));
  return { lexicon: new Lexicon(), figures, silhouettes: new Silhouettes(), lettering };
}
