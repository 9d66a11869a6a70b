import { blend } from '../paint/palette.ts';
import { lighten } from '../paint/rgb.ts';
import { paintCanyon, paintVolcano } from './paint-canyon.ts';
import { paintCity, paintRoom } from './paint-city.ts';
import { paintDeep } from './paint-deep.ts';
import { paintDesert } from './paint-desert.ts';
import { paintFigures } from './paint-figures.ts';
import { paintForest } from './paint-forest.ts';
import { paintArctic, paintLake } from './paint-lake.ts';
import { paintGarden, paintMeadow } from './paint-meadow.ts';
import { paintHills, paintMountains } from './paint-mountains.ts';
import { paintBeach, paintIsland, paintSea } from './paint-shores.ts';
import { paintSky } from './paint-sky.ts';
import { paintSpace } from './paint-space.ts';
import { paintRoad, paintVillage } from './paint-village.ts';
import { paintWeather } from './paint-weather.ts';
import { mirrored, type PlacedFigure, type Stage, tone } from './stage.ts';

const GROUNDS: Record<string, (stage: Stage) => void> = {
  arctic: paintArctic,
  beach: paintBeach,
  canyon: paintCanyon,
  city: paintCity,
  deep: paintDeep,
  desert: paintDesert,
  forest: paintForest,
  garden: paintGarden,
  hills: paintHills,
  island: paintIsland,
  lake: paintLake,
  meadow: paintMeadow,
  mountains: paintMountains,
  road: paintRoad,
  room: paintRoom,
  sea: paintSea,
  space: paintSpace,
  village: paintVillage,
  volcano: paintVolcano,
};

/** Without a sky of the usual kind. */
const SKYLESS = new Set(['deep', 'space']);

/** Paints a whole scene from back to front. */
export function paintScene(stage: Stage): void {
  const { ground } = stage.plan;
  if (!SKYLESS.has(ground)) paintSky(stage);
  // It rains behind the window.
  if (ground === 'room') paintWeather(stage);
  (GROUNDS[ground] ?? paintHills)(stage);
  if (stage.goers) paintLane(stage, stage.goers);
  paintFigures(stage);
  if (!SKYLESS.has(ground) && ground !== 'room') paintWeather(stage);
}

const SHADES = 26;
const ASPHALT = 0x63656f;
/** Above the figure that goes along it. */
const ROOM = 0.03;

/**
 * A street or open water on which figures cross the picture: every row of it is the same all along, so that a part of it
 * can be shown somewhere else.
 */
function paintLane(stage: Stage, placed: readonly PlacedFigure[]): void {
  const [first] = placed;
  if (!first || first.figure.shape.home === 'air') return;
  const top = Math.min(...placed.map(({ figure, y, size }) => y - figure.shape.height * size)) - ROOM;
  if (first.figure.shape.home === 'water') paintOpenWater(stage, top);
  else paintStreet(stage, top);
}

function paintStreet({ painter, light }: Stage, top: number): void {
  const asphalt = tone(light, 0.9, ASPHALT);
  painter.below(() => top, [lighten(asphalt, 0.42)], 0.008);
  painter.below(() => top + 0.008, [lighten(asphalt, -0.2)], 0.006);
  painter.below(() => top + 0.014, [lighten(asphalt, 0.1), asphalt, lighten(asphalt, -0.1)], 1 - top);
}

function paintOpenWater({ painter, light, plan }: Stage, top: number): void {
  const shades = mirrored(light, SHADES);
  const high = 1.02 - plan.horizon;
  const above = Math.max(0, Math.round((SHADES * (top - plan.horizon)) / high));
  painter.below(() => top, shades.slice(above), 1.02 - top);
  for (const [at, y] of [0.07, 0.15, 0.21, 0.25].entries()) {
    const shade = shades[Math.min(SHADES - 1, above + at * 4)] ?? 0;
    painter.box(painter.left, top + y, [painter.right - painter.left, 0.003], blend(shade, 0xffffff, 0.22));
  }
}
