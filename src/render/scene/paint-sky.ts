import { blend } from '../paint/palette.ts';
import { along, lighten } from '../paint/rgb.ts';
import { layeredNoise, type SeededRandom } from '../paint/seeded-random.ts';
import { eachSlot, type Stage } from './stage.ts';

const SHADES = 88;
const STAR_STEP = 0.02;
/** Pixels across and down that share one shade of the glow; neighbours differ too little to be seen. */
const GLOW_STEP = 8;
const GLOW_ROWS = 4;

/** How far below the horizon land may begin, in scene units: the sky goes on until there. */
const LAND = 0.3;

const FAR = { x: 99, y: 0, size: 0 };

/** Sky from the top of the picture to the horizon and behind the land: gradient, stars, sun or moon with its glow, clouds. */
export function paintSky(stage: Stage): void {
  const isOpen = stage.goers?.some(({ figure }) => figure.shape.home === 'air') === true;
  const sun = isOpen ? FAR : sunPlace(stage);
  paintGradient(stage, sun);
  if (stage.light.stars > 0) paintStars(stage);
  // What flies through the picture has the sky for itself.
  if (isOpen) return;
  if (stage.plan.weather !== 'storm' && stage.plan.weather !== 'rain') paintSun(stage, sun);
  if (stage.plan.weather !== 'clear') paintClouds(stage);
}

/** Where sun or moon stands, in scene units. */
export function sunPlace({ plan, light, spread }: Stage): { x: number; y: number; size: number } {
  const random = plan.random.branch('sun');
  const height = light.sun * random.between(0.75, 1.2);
  return {
    x: -plan.focus * spread * random.between(0.45, 1),
    y: plan.horizon * (1 - height),
    size: random.between(0.03, 0.07) * (light.sun < 0.2 ? 1.5 : 1),
  };
}

/** One run of shades; near the sun the gradient bends, so that it glows without colours of its own. */
function paintGradient({ painter, light, plan }: Stage, sun: { x: number; y: number }): void {
  const places = Array.from({ length: SHADES }, (_, at) => painter.place(along(light.sky, at / (SHADES - 1))));
  const { canvas, view } = painter;
  const end = Math.min(canvas.height, painter.row(plan.horizon + LAND));
  const spot = { x: sun.x * view.scale + view.x, y: sun.y * view.scale + view.y };
  const top = Math.min(painter.top, 0);
  for (let y = 0; y < end; y += GLOW_ROWS) {
    const height = (y / view.scale + painter.top - top) / (plan.horizon - top);
    const shade = Math.max(0, Math.min(1, height)) * (SHADES - 1);
    canvas.fillRow(y, 0, canvas.width, places[Math.round(shade)] ?? 0);
    paintGlow(painter, { y, shade, places }, spot);
    for (let below = y + 1; below < Math.min(end, y + GLOW_ROWS); below++) canvas.copyRow(y, below);
  }
}

/** The part of a row that lies near the sun. */
function paintGlow(
  { canvas, view }: Stage['painter'],
  row: { y: number; shade: number; places: number[] },
  spot: { x: number; y: number },
): void {
  const reach = view.scale * 0.34;
  const dy = (row.y - spot.y) / reach;
  if (dy * dy >= 1) return;
  const half = Math.floor(Math.sqrt(1 - dy * dy) * reach);
  const from = Math.max(0, Math.floor(spot.x - half));
  const to = Math.min(canvas.width, Math.ceil(spot.x + half));
  const lift = (SHADES - 1 - row.shade) * 0.85;
  let [open, held] = [from, -1];
  for (let x = from; x < to; x += GLOW_STEP) {
    const dx = (x - spot.x) / reach;
    const near = 1 - dx * dx - dy * dy;
    const shade = (row.shade + (near > 0 ? lift * near * near : 0) + 0.5) | 0;
    if (shade === held) continue;
    if (held >= 0) canvas.fillRow(row.y, open, x, row.places[held] ?? 0);
    open = x;
    held = shade;
  }
  if (held >= 0) canvas.fillRow(row.y, open, to, row.places[held] ?? 0);
}

function paintStars(stage: Stage): void {
  const { light } = stage;
  eachSlot(stage, { name: 'stars', step: STAR_STEP, reach: 0 }, (x, random) => {
    for (let star = 0; star < 5; star++) paintStar(stage, x, random.chance(light.stars), random);
  });
}

/** A star too many is drawn from the stream too, so that fewer stars stand where more would. */
function paintStar({ painter, light, plan }: Stage, slot: number, shown: boolean, random: SeededRandom): void {
  const y = random.next() * random.next() * plan.horizon;
  const [x, rank, bright] = [slot + random.next() * STAR_STEP, random.next(), random.chance(0.35)];
  if (!shown) return;
  const size = rank < 0.08 ? 0.0036 : rank < 0.35 ? 0.0022 : 0.0014;
  const sky = light.sky[bright ? 0 : 1] ?? 0;
  const colour = blend(sky, 0xffffff, bright ? 0.9 : 0.5);
  const side = Math.max(1 / painter.view.scale, size);
  if (size > 0.002) painter.disc(x, y, size, colour);
  else painter.box(x, y, [side, side], colour);
}

function paintSun({ painter, light, plan }: Stage, sun: { x: number; y: number; size: number }): void {
  const halo = blend(light.sky[2] ?? 0, light.body, 0.45);
  painter.disc(sun.x, sun.y, sun.size * 1.28, halo);
  painter.disc(sun.x, sun.y, sun.size, light.body);
  if (light.stars < 0.9) return;
  const shade = blend(light.body, light.sky[1] ?? 0, 0.22);
  const random = plan.random.branch('moon');
  for (let crater = 0; crater < 5; crater++) {
    const [x, y] = [random.between(-0.6, 0.6), random.between(-0.6, 0.6)];
    painter.disc(sun.x + x * sun.size, sun.y + y * sun.size, sun.size * random.between(0.08, 0.2), shade);
  }
}

/** Banks of round heaps on a flat foot. */
function paintClouds(stage: Stage): void {
  const { painter, light, plan } = stage;
  const heavy = { storm: 1, rain: 0.8, snow: 0.6, cloudy: 0.5, fog: 0.3 }[plan.weather] ?? 0.25;
  const dark = plan.weather === 'storm' || plan.weather === 'rain';
  const pale = dark ? lighten(light.haze, -0.35) : lighten(light.sky[3] ?? 0, light.dark ? 0.06 : 0.45);
  eachSlot(stage, { name: 'cloud', step: 0.3, reach: 0.4 }, (slot, random) => {
    for (let bank = 0; bank < 3; bank++) {
      if (!random.chance(heavy * 1.1)) continue;
      const y = plan.horizon * random.between(0.08, 0.8);
      const width = random.between(0.08, 0.3) * (0.5 + heavy);
      const colour = blend(pale, light.sky[2] ?? 0, random.between(0.1, 0.6));
      paintCloud(painter, {
        x: slot + random.between(-0.15, 0.15),
        y,
        width,
        colour,
        seed: random.below(9999),
      });
    }
  });
}

function paintCloud(
  painter: Stage['painter'],
  cloud: { x: number; y: number; width: number; colour: number; seed: number },
): void {
  const points: number[] = [];
  const steps = 36;
  for (let step = 0; step <= steps; step++) {
    const across = step / steps;
    const arch = 4 * across * (1 - across);
    const bumps = Math.abs(layeredNoise(cloud.seed, across * 5, 2));
    const y = cloud.y - cloud.width * arch * (0.1 + 0.24 * bumps);
    points.push(cloud.x + (across - 0.5) * cloud.width, y);
  }
  painter.polygon(points, cloud.colour);
}
