import { blend, lighten, type Rgb } from '../paint/rgb.ts';
import { smoothNoise, wave } from '../paint/seeded-random.ts';
import { paintGrove, paintHills, paintMountains, paintRidge } from './paint-land.ts';
import { sunPlace } from './paint-sky.ts';
import { eachSlot, mirrored, type Stage, tone } from './stage.ts';

const ROWS = 40;

/** Water from `y` down: the sky given back, a path of light under the sun, ripples that grow towards the viewer. */
export function paintWater(stage: Stage, y: number, calm = 0.4): void {
  const { painter, light, plan } = stage;
  painter.below(() => y, mirrored(light, 12), 1.02 - y);
  const bright = blend(light.sky[3] ?? 0, light.body, 0.5);
  const deep = lighten(light.sky[0] ?? 0, -0.25);
  const sun = sunPlace(stage);
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

/** Open water with a swell. */
export function paintSea(stage: Stage): void {
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
    const colour = lighten(mirrored(light, 8)[4 + (swell % 4)] ?? 0, -0.1 - swell * 0.05);
    const crest = (x: number) =>
      y + rough * (Math.abs(wave(x * (2.4 - swell * 0.3) + seed)) + smoothNoise(seed, x * 5) * 0.4);
    painter.below((x) => crest(x) - 0.003, [blend(colour, 0xffffff, 0.45)], 1);
    painter.below(crest, [colour, lighten(colour, -0.12)], 0.2);
  }
}

/** Sea, a curved line of foam, sand, and palms that lean over it. */
export function paintBeach(stage: Stage): void {
  const { plan, painter, light, spread } = stage;
  const random = plan.random.branch('beach');
  paintWater(stage, plan.horizon, 0.7);
  const sand = blend(tone(light, 0.8, 0xe6c88f), light.haze, 0.12);
  const side = plan.focus > 0 ? 1 : -1;
  const [bend, seed] = [random.between(0.16, 0.5), random.below(9999)];
  const shore = (x: number) => plan.horizon + 0.3 - side * x * bend + smoothNoise(seed, x * 3) * 0.03;
  painter.below((x) => shore(x) - 0.016, [lighten(sand, 0.55)], 1);
  painter.below(shore, [lighten(sand, -0.18), sand, lighten(sand, 0.1)], 0.3);
  const palms = 1 + random.below(4);
  for (let palm = 0; palm < palms; palm++) {
    const x = side * spread * random.between(0.35, 1);
    const placed = { x, y: Math.max(shore(x), plan.horizon) + 0.07, size: random.between(0.25, 0.5), flip: side > 0 };
    painter.silhouette('palm', { ...placed, colour: lighten(light.near, palm * 0.04) });
  }
}

/** Still water before mountains or hills. */
export function paintLake(stage: Stage): void {
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

/** White ground for the Arctic: what is snow there. */
export function snowed(stage: Stage): Stage {
  const light = { ...stage.light, land: 0xe8eff6, leaf: 0xcfdbe8 };
  return { ...stage, light, plan: { ...stage.plan, season: 'winter' } };
}

/** Corals and fish. */
const HUES: Rgb[] = [0xf0706a, 0xf2a65a, 0xd86ab0, 0x6ac0a0];

/** Below the surface: rays of light, rocks, corals, bubbles and fish. */
export function paintDeep(stage: Stage): void {
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
    eachSlot(stage, { name: `coral${row}`, step: 0.12, reach: 0.1 }, (x, own) => {
      const colour = blend(own.pick(HUES), 0x0a3050, 0.55 - row * 0.18);
      const coral = { x, y: y + own.between(0, 0.06), size: own.between(0.06, 0.16), colour };
      if (own.chance(0.6)) painter.silhouette('coral', coral);
    });
  }
  eachSlot(stage, { name: 'bubble', step: 0.09, reach: 0.1 }, (x, own) => {
    painter.disc(x, own.between(0.1, 0.8), own.between(0.003, 0.009), blend(top, 0xffffff, 0.4));
    const fish = { x, y: own.between(0.15, 0.6), size: own.between(0.025, 0.06), colour: blend(low, light.leaf, 0.6) };
    if (own.chance(0.4)) painter.silhouette('fish', { ...fish, flip: plan.focus > 0 });
  });
}
