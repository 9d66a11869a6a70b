import { Lettering } from '../paint/lettering.ts';
import { along, blend, lighten, type Rgb } from '../paint/rgb.ts';
import type { SeededRandom } from '../paint/seeded-random.ts';
import { FigureSet, Silhouettes } from './figure-set.ts';
import type { Painter } from './painter.ts';
import { Lexicon } from './scene-lexicon.ts';
import type { Light, PlannedFigure, ScenePlan } from './scene-plan.ts';

export interface Stage {
  painter: Painter;
  plan: ScenePlan;
  light: Light;
  spread: number;
  floor: number;
}

export function tone(light: Light, depth: number, hue: Rgb = light.land): Rgb {
  const body = blend(hue, light.near, light.dark ? 0.72 : 0.42);
  return blend(light.haze, body, Math.min(1, 0.12 + 0.88 * depth));
}

export function fading(light: Light, top: Rgb, count = 5, share = 0.45): Rgb[] {
  return Array.from({ length: count }, (_, at) => blend(top, light.haze, (share * at) / count));
}

export function deepening(top: Rgb, count = 5, share = 0.4): Rgb[] {
  return Array.from({ length: count }, (_, at) => lighten(top, (-share * at) / count));
}

export function mirrored(light: Light, count: number): Rgb[] {
  const stops = [...light.sky].reverse();
  return Array.from({ length: count }, (_, at) =>
    lighten(blend(along(stops, at / count), light.near, 0.12 + (0.3 * at) / count), -0.06),
  );
}

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

/** In scene units. `x` is the middle of the figure, `y` its feet, `size` its longer side. */
export interface PlacedFigure {
  figure: PlannedFigure;
  x: number;
  y: number;
  size: number;
  flip: boolean;
}

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
