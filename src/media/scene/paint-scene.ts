import { blend, contrast, lighten, luma, type Rgb, saturate } from '../paint/rgb.ts';
import { paintFigures } from './paint-figures.ts';
import { paintDesert, paintForest, paintHills, paintMeadow, paintMountains } from './paint-land.ts';
import { paintCity, paintRoom, paintSpace } from './paint-places.ts';
import { paintSky, paintWeather } from './paint-sky.ts';
import { paintBeach, paintDeep, paintLake, paintSea, snowed } from './paint-waters.ts';
import { Painter } from './painter.ts';
import type { ScenePlan } from './scene-plan.ts';
import type { SceneKit, Stage } from './stage.ts';

/** A dozen grounds and their likes. */
const GROUNDS: Record<string, (stage: Stage) => void> = {
  arctic: (stage) => paintLake(snowed(stage)),
  beach: paintBeach,
  canyon: paintMountains,
  city: paintCity,
  deep: paintDeep,
  desert: paintDesert,
  forest: paintForest,
  garden: paintMeadow,
  island: paintBeach,
  lake: paintLake,
  meadow: paintMeadow,
  mountains: paintMountains,
  road: paintMeadow,
  room: paintRoom,
  sea: paintSea,
  space: paintSpace,
  volcano: paintMountains,
};

/** Without a sky of the usual kind. */
const SKYLESS = new Set(['deep', 'space']);

/** How wide a scene is, and how far down it is free. */
interface Extent {
  /** Half the visible width in scene units, before any camera moves. */
  spread: number;
  /** How far it is seen to each side, by a camera that is further away. */
  reach: number;
  /** Nothing important lies below; the caption stands there. */
  floor: number;
}

/** Paints a whole scene from back to front; answers its stage, on which more can be painted. */
export function paintScene({ silhouettes }: SceneKit, plan: ScenePlan, { spread, reach, floor }: Extent): Stage {
  const painter = new Painter(reach, silhouettes, gradeOf(plan.styles));
  const stage = { painter, plan, light: plan.light, spread, floor };
  const { ground } = plan;
  if (!SKYLESS.has(ground)) paintSky(stage);
  // It rains behind the window.
  if (ground === 'room') paintWeather(stage);
  (GROUNDS[ground] ?? paintHills)(stage);
  paintFigures(stage);
  if (!SKYLESS.has(ground) && ground !== 'room') paintWeather(stage);
  return stage;
}

type Grade = (colour: Rgb) => Rgb;

const GRADES: Record<string, Grade> = {
  noir: (colour) => contrast(luma(colour) * 0x010101, 1.35),
  neon: (colour) => contrast(saturate(blend(colour, 0xc02ad8, 0.18), 1.5), 1.12),
  vintage: (colour) => blend(saturate(colour, 0.45), 0xd8a866, 0.28),
  pastel: (colour) => lighten(saturate(colour, 0.75), 0.34),
  poster: (colour) => stepped(saturate(contrast(colour, 1.2), 1.3), 5),
  minimal: (colour) => stepped(saturate(colour, 0.85), 9),
};

/** Light that falls on everything: what the styles of a scene make of each colour. */
function gradeOf(styles: readonly string[]): Grade {
  const grades = styles.slice(0, 2).flatMap((style) => GRADES[style] ?? []);
  return (colour) => grades.reduce((graded, grade) => grade(graded), colour);
}

function stepped(colour: Rgb, steps: number): Rgb {
  const part = (shift: number) => {
    const value = (colour >> shift) & 255;
    return Math.round(Math.round((value / 255) * steps) * (255 / steps)) << shift;
  };
  return part(16) | part(8) | part(0);
}
