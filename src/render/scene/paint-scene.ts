import { paintDeep, paintRoom, paintSpace } from './paint-beyond.ts';
import { paintCity, paintRoad, paintVillage } from './paint-built.ts';
import { paintCanyon, paintDesert } from './paint-drylands.ts';
import { paintFigures } from './paint-figures.ts';
import { paintForest, paintGarden, paintMeadow } from './paint-growth.ts';
import { paintHills, paintMountains, paintVolcano } from './paint-heights.ts';
import { paintArctic } from './paint-ice.ts';
import { paintBeach, paintIsland } from './paint-shores.ts';
import { paintSky } from './paint-sky.ts';
import { paintLake, paintSea } from './paint-water.ts';
import { paintWeather } from './paint-weather.ts';
import type { Stage } from './stage.ts';

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
  (GROUNDS[ground] ?? paintHills)(stage);
  paintFigures(stage);
  if (!SKYLESS.has(ground)) paintWeather(stage);
}
