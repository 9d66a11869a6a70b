import { paintCanyon } from './paint-canyon.ts';
import { paintCity } from './paint-city.ts';
import { paintDeep } from './paint-deep.ts';
import { paintDesert } from './paint-desert.ts';
import { paintFigures } from './paint-figures.ts';
import { paintForest } from './paint-forest.ts';
import { paintHills } from './paint-hills.ts';
import { paintArctic } from './paint-ice.ts';
import { paintLake } from './paint-lake.ts';
import { paintLane } from './paint-lane.ts';
import { paintGarden, paintMeadow } from './paint-meadow.ts';
import { paintMountains } from './paint-mountains.ts';
import { paintRoad } from './paint-road.ts';
import { paintRoom } from './paint-room.ts';
import { paintSea } from './paint-sea.ts';
import { paintBeach, paintIsland } from './paint-shores.ts';
import { paintSky } from './paint-sky.ts';
import { paintSpace } from './paint-space.ts';
import { paintVillage } from './paint-village.ts';
import { paintVolcano } from './paint-volcano.ts';
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
  // It rains behind the window.
  if (ground === 'room') paintWeather(stage);
  (GROUNDS[ground] ?? paintHills)(stage);
  if (stage.goers) paintLane(stage, stage.goers);
  paintFigures(stage);
  if (!SKYLESS.has(ground) && ground !== 'room') paintWeather(stage);
}
