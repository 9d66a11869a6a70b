import { adjustContrast, adjustLightness, blend, luma, type Rgb, saturate } from '../paint/rgb.ts';
import { approximateSine, layeredNoise, type SeededRandom, smoothNoise } from '../paint/seeded-random.ts';
import {
  paintDesert,
  paintForest,
  paintGrove,
  paintHills,
  paintMeadow,
  paintMountains,
  paintRidge,
  paintSky,
  paintStars,
  paintWeather,
  sunPlacement,
} from './paint-backdrop.ts';
import { paintFigures } from './paint-figures.ts';
import {
  darkerShadesOf,
  forEachPlaceInRow,
  mirroredSkyColors,
  Painter,
  type PaintingContext,
  type SceneAssets,
  tintByDepth,
} from './painter.ts';
import type { ScenePlan } from './scene-plan.ts';

const GROUNDS: Record<string, (stage: PaintingContext) => void> = {
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

const SKYLESS = new Set(['deep', 'space']);

interface Extent {
  spread: number;
  reach: number;
  floor: number;
}

export function paintScene(
  { silhouettes }: SceneAssets,
  plan: ScenePlan,
  { spread, reach, floor }: Extent,
): PaintingContext {
  const painter = new Painter(reach, silhouettes, gradeOf(plan.styles));
  const stage = { painter, plan, light: plan.light, spread, floor };
  const { ground } = plan;
  if (!SKYLESS.has(ground)) paintSky(stage);
  if (ground === 'room') paintWeather(stage);
  (GROUNDS[ground] ?? paintHills)(stage);
  paintFigures(stage);
  if (!SKYLESS.has(ground) && ground !== 'room') paintWeather(stage);
  return stage;
}

type Grade = (colour: Rgb) => Rgb;

const GRADES: Record<string, Grade> = {
  noir: (colour) => adjustContrast(luma(colour) * 0x010101, 1.35),
  neon: (colour) => adjustContrast(saturate(blend(colour, 0xc02ad8, 0.18), 1.5), 1.12),
  vintage: (colour) => blend(saturate(colour, 0.45), 0xd8a866, 0.28),
  pastel: (colour) => adjustLightness(saturate(colour, 0.75), 0.34),
  poster: (colour) => stepped(saturate(adjustContrast(colour, 1.2), 1.3), 5),
  minimal: (colour) => stepped(saturate(colour, 0.85), 9),
};

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

function paintCity(stage: PaintingContext): void {
  const { plan, painter, light } = stage;
  const random = plan.random.branch('city');
  const tall = random.between(0.22, 0.5);
  const foot = plan.horizon + 0.14;
  for (let row = 0; row < 3; row++) {
    const step = 0.06 + row * random.between(0.02, 0.05);
    forEachPlaceInRow(stage, { name: `tower${row}`, step, reach: 0.2 }, (x, own) => {
      const height = tall * own.between(0.2, 1) * (own.chance(0.12) ? 1.35 : 1) * (1 - row * 0.2);
      const tower = { x, y: foot + row * 0.03, width: step * own.between(0.75, 1.15), height };
      paintTower(stage, { ...tower, depth: 0.2 + row * 0.28 }, own);
    });
  }
  const isByWater = random.chance(0.5);
  if (isByWater && !plan.figures.some(({ shape }) => shape.home === 'ground')) {
    paintWater(stage, foot + 0.07, 0.6);
    return;
  }
  painter.below(() => foot + 0.06, darkerShadesOf(tintByDepth(light, 1, 0x30343e)), 0.3);
  const lamp = blend(light.body, 0xffc46b, 0.5);
  forEachPlaceInRow(stage, { name: 'lamp', step: 0.16, reach: 0.1 }, (x) => {
    painter.box(x, foot - 0.02, [0.004, 0.12], adjustLightness(light.near, -0.2));
    painter.disc(x + 0.002, foot - 0.024, 0.009, lamp);
  });
}

type Tower = Record<'x' | 'y' | 'width' | 'height' | 'depth', number>;

function paintTower(
  { painter, light }: PaintingContext,
  { x, y, width, height, depth }: Tower,
  random: SeededRandom,
): void {
  const wall = tintByDepth(light, depth, blend(0x3a4152, random.pick([0x5b4a4a, 0x39506b, 0x4a4a58]), 0.6));
  const top = y - height;
  painter.box(x, top, [width, height + 0.2], wall);
  const roof = random.below(5);
  if (roof === 0) painter.box(x + width * 0.48, top - 0.06, [width * 0.05, 0.06], wall);
  if (roof === 1) painter.polygon([x, top + 0.002, x + width / 2, top - width * 0.6, x + width, top + 0.002], wall);
  if (roof === 2) painter.box(x + width * 0.2, top - 0.025, [width * 0.6, 0.025], wall);
  if (depth < 0.4) return;
  const lit = blend(wall, light.dark ? 0xffd98a : adjustLightness(light.sky[2] ?? 0, 0.2), light.dark ? 0.85 : 0.45);
  const [gap, pane] = [0.024, light.dark ? 0.4 : 0.75];
  for (let up = top + 0.014; up < y + 0.06; up += gap * 1.25) {
    for (let across = x + gap * 0.5; across < x + width - gap * 0.6; across += gap) {
      if (random.chance(pane)) painter.box(across, up, [gap * 0.5, gap * 0.62], lit);
    }
  }
}

function paintRoom(stage: PaintingContext): void {
  const { plan, painter, light, spread } = stage;
  const random = plan.random.branch('room');
  paintRidge(stage, { name: 'outside', y: plan.horizon + 0.1, rise: 0.3, swing: 2, rough: 3, depth: 0.5 });
  const paper = tintByDepth(light, 0.6, random.pick([0xc9a27e, 0x7e93a8, 0x9fae86, 0xb98a8a]));
  const wall = blend(paper, light.near, light.dark ? 0.4 : 0.05);
  const half = spread * random.between(0.4, 0.66);
  const middle = plan.focus * spread * 0.15;
  const [top, sill, far] = [random.between(0.08, 0.16), random.between(0.56, 0.64), 3];
  painter.box(-far, -1, [far * 2, 1 + top], wall);
  painter.box(-far, sill, [far * 2, 1], adjustLightness(wall, -0.12));
  painter.box(-far, top - 0.002, [far + middle - half, sill - top + 0.004], wall);
  painter.box(middle + half, top - 0.002, [far, sill - top + 0.004], wall);
  const frame = adjustLightness(wall, 0.4);
  const panes = 1 + random.below(3);
  for (let bar = 0; bar <= panes; bar++) {
    painter.box(middle - half + (bar / panes) * half * 2 - 0.008, top, [0.016, sill - top], frame);
  }
  for (const y of [top - 0.01, top + (sill - top) * 0.4, sill - 0.01]) {
    painter.box(middle - half - 0.02, y, [half * 2 + 0.04, 0.02], frame);
  }
  const wood = tintByDepth(light, 0.9, 0x7a5238);
  painter.box(-far, 0.74, [far * 2, 0.03], adjustLightness(wood, 0.12));
  painter.box(-far, 0.77, [far * 2, 2], wood);
  const thing = { x: -plan.focus * spread * 0.6, y: 0.745, size: random.between(0.14, 0.3) };
  const things = ['tulip', 'seedling', 'telescope', 'violin', 'guitar'];
  painter.silhouette(random.pick(things), { ...thing, colour: tintByDepth(light, 1, light.leaf) });
  const lamp = plan.focus * spread * 0.7;
  const shade = [lamp - 0.03, 0.48, lamp + 0.03, 0.48, lamp + 0.07, 0.58, lamp - 0.07, 0.58];
  painter.box(lamp - 0.005, 0.56, [0.01, 0.185], light.near);
  painter.polygon(shade, blend(light.body, 0xffc878, 0.6));
}

function paintSpace(stage: PaintingContext): void {
  const { plan, painter, light, spread } = stage;
  const random = plan.random.branch('space');
  const deep = blend(0x05060f, light.sky[0] ?? 0, 0.35);
  painter.below(() => -0.2, [deep, blend(deep, saturate(light.sky[2] ?? 0, 1.4), 0.3), deep], 1.4);
  paintStars({ ...stage, light: { ...light, stars: 1 } }, 1.4);
  const planets = 1 + random.below(3);
  for (let at = 0; at < planets; at++) {
    const size = at === 0 ? random.between(0.14, 0.3) : random.between(0.03, 0.09);
    const side = at % 2 === 0 ? plan.focus : -plan.focus;
    const place = { x: side * spread * random.between(0.2, 0.9), y: random.between(0.16, 0.5), size };
    paintPlanet(stage, place, plan.random.branch(`planet${at}`));
  }
  if (!random.chance(0.6)) return;
  const dust = tintByDepth(light, 1, random.pick([0x8a5a48, 0x6b6a78, 0x54707a]));
  const [seed, rim] = [random.below(9999), random.between(0.68, 0.8)];
  const ground = (x: number) => rim + x * x * 0.1 + layeredNoise(seed, x * 3, 4) * 0.04;
  painter.below(ground, [adjustLightness(dust, 0.15), dust, adjustLightness(dust, -0.3)], 0.25);
}

function paintPlanet(
  { painter, light }: PaintingContext,
  globe: Record<'x' | 'y' | 'size', number>,
  random: SeededRandom,
): void {
  const { x, y, size } = globe;
  const base = random.pick([0xd08a5a, 0x5a8fd0, 0x9a6ad0, 0xd0b070, 0x5fb09a, light.leaf]);
  painter.disc(x, y, size, adjustLightness(base, -0.15));
  for (let band = 0; band < 5; band++) {
    const up = -0.75 + band * 0.35 + random.between(-0.08, 0.08);
    const oval = { x, y: y + up * size, width: 1.92 * size * Math.sqrt(1 - up * up), height: size * 0.15 };
    painter.oval(oval, adjustLightness(base, random.between(-0.2, 0.3)), 0.7);
  }
  for (const share of [0.97, 0.86]) {
    const shade = { x: x + size * (1 - share), y, width: 2 * size * share, height: 2 * size * share };
    painter.oval(shade, 0x05060f, 0.22);
  }
}

const ROWS = 40;

function paintWater(stage: PaintingContext, y: number, calm = 0.4): void {
  const { painter, light, plan } = stage;
  painter.below(() => y, mirroredSkyColors(light, 12), 1.02 - y);
  const bright = blend(light.sky[3] ?? 0, light.body, 0.5);
  const deep = adjustLightness(light.sky[0] ?? 0, -0.25);
  const sun = sunPlacement(stage);
  for (let row = 0; row < ROWS; row++) {
    const near = row / ROWS;
    const random = plan.random.branch(`ripple${row}`);
    const glint = { y: y + 0.004 + near * near * (1.02 - y), height: 0.0016 + near * 0.005 };
    const path = { x: sun.x + random.between(-0.4, 0.4) * sun.size, width: sun.size * (0.7 + near * 2.2) };
    if (plan.weather !== 'storm') painter.oval({ ...glint, ...path }, bright, 0.75);
    const count = Math.round((1 - near * 0.7) * 6 * (1.2 - calm));
    for (let at = 0; at < count; at++) {
      const ripple = { x: random.between(painter.left, painter.right), width: (0.03 + near * 0.12) * random.next() };
      painter.oval({ ...glint, ...ripple }, random.chance(0.5) ? bright : deep, 0.4);
    }
  }
}

function paintSea(stage: PaintingContext): void {
  const { plan, light, painter } = stage;
  const random = plan.random.branch('sea');
  const isRough = plan.weather === 'storm' || plan.weather === 'wind';
  const far = { name: 'coast', y: plan.horizon + 0.02, rise: 0.07, swing: 1.5, rough: 2, depth: 0.3 };
  if (random.chance(0.5)) paintRidge(stage, far);
  paintWater(stage, plan.horizon, isRough ? 0 : 0.4);
  const rough = isRough ? 0.05 : 0.014;
  const swells = random.below(4) + (isRough ? 2 : 0);
  for (let swell = 0; swell < swells; swell++) {
    const [y, seed] = [plan.horizon + 0.14 + (swell / swells) * 0.3, random.below(9999)];
    const colour = adjustLightness(mirroredSkyColors(light, 8)[4 + (swell % 4)] ?? 0, -0.1 - swell * 0.05);
    const crest = (x: number) =>
      y + rough * (Math.abs(approximateSine(x * (2.4 - swell * 0.3) + seed)) + smoothNoise(seed, x * 5) * 0.4);
    painter.below((x) => crest(x) - 0.003, [blend(colour, 0xffffff, 0.45)], 1);
    painter.below(crest, [colour, adjustLightness(colour, -0.12)], 0.2);
  }
}

function paintBeach(stage: PaintingContext): void {
  const { plan, painter, light, spread } = stage;
  const random = plan.random.branch('beach');
  paintWater(stage, plan.horizon, 0.7);
  const sand = blend(tintByDepth(light, 0.8, 0xe6c88f), light.haze, 0.12);
  const side = plan.focus > 0 ? 1 : -1;
  const [bend, seed] = [random.between(0.16, 0.5), random.below(9999)];
  const shore = (x: number) => plan.horizon + 0.3 - side * x * bend + smoothNoise(seed, x * 3) * 0.03;
  painter.below((x) => shore(x) - 0.016, [adjustLightness(sand, 0.55)], 1);
  painter.below(shore, [adjustLightness(sand, -0.18), sand, adjustLightness(sand, 0.1)], 0.3);
  const palms = 1 + random.below(4);
  for (let palm = 0; palm < palms; palm++) {
    const x = side * spread * random.between(0.35, 1);
    const placed = { x, y: Math.max(shore(x), plan.horizon) + 0.07, size: random.between(0.25, 0.5), flip: side > 0 };
    painter.silhouette('palm', { ...placed, colour: adjustLightness(light.near, palm * 0.04) });
  }
}

function paintLake(stage: PaintingContext): void {
  const { plan } = stage;
  const random = plan.random.branch('lake');
  const back = { ...stage, plan: { ...plan, horizon: plan.horizon - 0.08 } };
  if (plan.ground === 'arctic' || random.chance(0.5)) paintMountains(back);
  else paintHills({ ...back, plan: { ...plan, horizon: plan.horizon - 0.16 } });
  paintWater(stage, plan.horizon + 0.06, 0.8);
  const bank = paintRidge(stage, { name: 'bank', y: 0.93, rise: 0.07, swing: 2, rough: 3, depth: 1 });
  const reeds = { name: 'reeds', line: bank, depth: 1, share: 0.4, size: random.between(0.06, 0.22) };
  paintGrove(stage, { ...reeds, shapes: [random.pick(['pine', 'tree', 'round'])] });
}

function snowed(stage: PaintingContext): PaintingContext {
  const light = { ...stage.light, land: 0xe8eff6, leaf: 0xcfdbe8 };
  return { ...stage, light, plan: { ...stage.plan, season: 'winter' } };
}

const HUES: Rgb[] = [0xf0706a, 0xf2a65a, 0xd86ab0, 0x6ac0a0];

function paintDeep(stage: PaintingContext): void {
  const { plan, painter, light } = stage;
  const random = plan.random.branch('deep');
  const top = blend(light.dark ? 0x0f3a5c : 0x3fb3d0, light.sky[2] ?? 0, 0.25);
  const low = blend(0x06243f, light.near, 0.2);
  painter.below(() => -0.5, [top], 1);
  painter.below(() => -0.1, [top, low], 1.2);
  for (let ray = 0; ray < 7; ray++) {
    const [x, wide, lean] = [random.between(-0.8, 0.8), random.between(0.02, 0.08), random.between(-0.3, 0.1)];
    painter.polygon([x, -0.4, x + wide, -0.4, x + wide * 2 + lean, 0.55, x + lean, 0.55], 0xffffff, 0.08);
  }
  const sunken = { ...stage, light: { ...light, haze: blend(top, low, 0.6) } };
  for (let row = 0; row < 3; row++) {
    const y = 0.72 + row * 0.1;
    paintRidge(sunken, { name: `bed${row}`, y, rise: 0.16, swing: 2 + row, rough: 4, depth: 0.3 + row * 0.3 });
    forEachPlaceInRow(stage, { name: `coral${row}`, step: 0.12, reach: 0.1 }, (x, own) => {
      const colour = blend(own.pick(HUES), 0x0a3050, 0.55 - row * 0.18);
      const coral = { x, y: y + own.between(0, 0.06), size: own.between(0.06, 0.16), colour };
      if (own.chance(0.6)) painter.silhouette('coral', coral);
    });
  }
  forEachPlaceInRow(stage, { name: 'bubble', step: 0.09, reach: 0.1 }, (x, own) => {
    painter.disc(x, own.between(0.1, 0.8), own.between(0.003, 0.009), blend(top, 0xffffff, 0.4));
    const fish = { x, y: own.between(0.15, 0.6), size: own.between(0.025, 0.06), colour: blend(low, light.leaf, 0.6) };
    if (own.chance(0.4)) painter.silhouette('fish', { ...fish, flip: plan.focus > 0 });
  });
}
