import { adjustLightness, blend } from '../paint/rgb.ts';
import { layeredNoise, type SeededRandom, smoothNoise } from '../paint/seeded-random.ts';
import { darkerShadesOf, forEachPlaceInRow, hazeFadeColors, type PaintingContext, tintByDepth } from './painter.ts';

const LAND = 0.3;
const STAR_STEP = 0.04;

export function paintSky(stage: PaintingContext): void {
  const { painter, light, plan } = stage;
  const { weather, horizon } = plan;
  const sun = sunPlacement(stage);
  painter.below(() => -0.6, [light.sky[0] ?? 0], 1);
  painter.below(() => 0, [...light.sky, light.sky.at(-1) ?? 0], horizon + LAND / 4);
  if (light.stars > 0) paintStars(stage, horizon);
  if (weather !== 'storm' && weather !== 'rain') paintSun(stage, sun);
  if (weather !== 'clear') paintClouds(stage);
}

export function sunPlacement({ plan, light, spread }: PaintingContext): { x: number; y: number; size: number } {
  const random = plan.random.branch('sun');
  const height = light.sun * random.between(0.75, 1.2);
  return {
    x: -plan.focus * spread * random.between(0.45, 1),
    y: plan.horizon * (1 - height),
    size: random.between(0.03, 0.07) * (light.sun < 0.2 ? 1.5 : 1),
  };
}

export function paintStars(stage: PaintingContext, end: number): void {
  forEachPlaceInRow(stage, { name: 'stars', step: STAR_STEP, reach: 0 }, (slot, random) => {
    for (let star = 0; star < 5; star++) paintStar(stage, [slot, end], random);
  });
}

function paintStar({ painter, light }: PaintingContext, [slot, end]: [number, number], random: SeededRandom): void {
  const y = random.next() * random.next() * end;
  const [x, rank, isShown] = [slot + random.next() * STAR_STEP, random.next(), random.chance(light.stars)];
  const size = rank < 0.08 ? 0.0022 : rank < 0.35 ? 0.0014 : 0.0009;
  if (isShown) painter.disc(x, y, size, blend(light.sky[1] ?? 0, 0xffffff, rank < 0.5 ? 0.85 : 0.5));
}

function paintSun({ painter, light, plan }: PaintingContext, { x, y, size }: ReturnType<typeof sunPlacement>): void {
  painter.glow(x, y, 0.36, blend(light.sky[3] ?? 0, light.body, 0.5));
  painter.disc(x, y, size, light.body);
  if (light.stars < 0.9) return;
  const shade = blend(light.body, light.sky[1] ?? 0, 0.22);
  const random = plan.random.branch('moon');
  for (let crater = 0; crater < 5; crater++) {
    const [right, down] = [random.between(-0.6, 0.6), random.between(-0.6, 0.6)];
    painter.disc(x + right * size, y + down * size, size * random.between(0.08, 0.2), shade);
  }
}

const COVER: Record<string, number> = { storm: 1, rain: 0.8, snow: 0.6, cloudy: 0.5, fog: 0.3 };

function paintClouds(stage: PaintingContext): void {
  const { painter, light, plan } = stage;
  const heavy = COVER[plan.weather] ?? 0.25;
  const isDark = plan.weather === 'storm' || plan.weather === 'rain';
  const pale = isDark
    ? adjustLightness(light.haze, -0.35)
    : adjustLightness(light.sky[3] ?? 0, light.dark ? 0.06 : 0.45);
  forEachPlaceInRow(stage, { name: 'cloud', step: 0.3, reach: 0.4 }, (slot, random) => {
    for (let bank = 0; bank < 3; bank++) {
      if (!random.chance(heavy * 1.1)) continue;
      const y = plan.horizon * random.between(0.08, 0.8);
      const width = random.between(0.1, 0.34) * (0.5 + heavy);
      const colour = blend(pale, light.sky[2] ?? 0, random.between(0.1, 0.6));
      painter.polygon(cloudAt({ x: slot + random.between(-0.15, 0.15), y, width }, random), colour, 0.9);
    }
  });
}

function cloudAt({ x, y, width }: { x: number; y: number; width: number }, random: SeededRandom): number[] {
  const seed = random.below(9999);
  return Array.from({ length: 33 }, (_, step) => step / 32).flatMap((across) => {
    const arch = 4 * across * (1 - across);
    const bumps = Math.abs(layeredNoise(seed, across * 5, 2));
    return [x + (across - 0.5) * width, y - width * arch * (0.1 + 0.24 * bumps)];
  });
}

const WEATHERS: Record<string, (stage: PaintingContext) => void> = {
  rain: paintRain,
  storm: paintRain,
  snow: paintSnow,
  fog: paintFog,
};

export function paintWeather(stage: PaintingContext): void {
  WEATHERS[stage.plan.weather]?.(stage);
}

function paintRain(stage: PaintingContext): void {
  const { painter, light, plan } = stage;
  const colour = blend(light.haze, 0xffffff, light.dark ? 0.3 : 0.5);
  forEachPlaceInRow(stage, { name: 'rain', step: 0.04, reach: 0.1 }, (slot, random) => {
    for (let drop = 0; drop < 9; drop++) {
      const [x, y, long] = [slot + random.next() * 0.04, random.between(-0.2, 1), random.between(0.02, 0.055)];
      const foot = x + plan.focus * long * 0.3;
      painter.polygon([x, y, x + 0.0018, y, foot + 0.0018, y + long, foot, y + long], colour, 0.7);
    }
  });
}

function paintSnow(stage: PaintingContext): void {
  forEachPlaceInRow(stage, { name: 'snow', step: 0.05, reach: 0.05 }, (slot, random) => {
    for (let flake = 0; flake < 8; flake++) {
      const size = random.chance(0.1) ? 0.007 : random.between(0.0015, 0.0045);
      stage.painter.disc(slot + random.next() * 0.05, random.between(-0.2, 1), size, 0xf4f8fc);
    }
  });
}

function paintFog({ painter, plan, light }: PaintingContext): void {
  const random = plan.random.branch('fog');
  const mist = adjustLightness(light.haze, 0.18);
  for (let bank = 0; bank < 4; bank++) {
    const [seed, y] = [random.below(9999), plan.horizon - 0.08 + bank * 0.1];
    const points: number[] = [painter.right + 0.1, y + 0.1, painter.left - 0.1, y + 0.1];
    for (let x = painter.left - 0.1; x < painter.right + 0.1; x += 0.02) {
      points.push(x, y + layeredNoise(seed, x * 2, 2) * 0.03);
    }
    painter.polygon(points, mist, 0.4);
  }
}

interface Ridge {
  name: string;
  y: number;
  rise: number;
  swing: number;
  rough: number;
  depth: number;
}

export function paintRidge(stage: PaintingContext, ridge: Ridge): (x: number) => number {
  const { painter, light, plan } = stage;
  const seed = plan.random.branch(ridge.name).below(1 << 30);
  const line = (x: number) => ridge.y - ridge.rise * (0.5 + layeredNoise(seed, x * ridge.swing, ridge.rough));
  const colour = tintByDepth(light, ridge.depth);
  const shades = ridge.depth > 0.8 ? darkerShadesOf(colour) : hazeFadeColors(light, colour, 0.5 * (1 - ridge.depth));
  painter.below(line, shades, ridge.rise + 0.25);
  return line;
}

interface Grove {
  name: string;
  line: (x: number) => number;
  depth: number;
  share: number;
  size: number;
  shapes: string[];
}

export function paintGrove(stage: PaintingContext, grove: Grove): void {
  const { painter, light } = stage;
  const leaf = tintByDepth(light, grove.depth, light.leaf);
  const dark = adjustLightness(tintByDepth(light, grove.depth), -0.35);
  forEachPlaceInRow(stage, { name: grove.name, step: grove.size * 0.5, reach: grove.size }, (slot, random) => {
    if (!random.chance(grove.share)) return;
    const x = slot + random.between(-0.2, 0.2) * grove.size;
    const size = grove.size * random.between(0.6, 1.25);
    const shape = random.pick(grove.shapes);
    const y = grove.line(x) + size * 0.06;
    if (shape !== 'round') {
      painter.silhouette(shape, {
        x,
        y,
        size: size * 1.25,
        colour: random.chance(0.5) ? dark : adjustLightness(dark, 0.04),
      });
      return;
    }
    painter.box(x - size * 0.04, y - size * 0.5, [size * 0.08, size * 0.5], dark);
    painter.disc(x, y - size * 0.62, size * 0.34, adjustLightness(leaf, -0.22));
    painter.disc(x + size * 0.06, y - size * 0.7, size * 0.25, leaf);
  });
}

const CLAY = 0xb8623a;

export function paintMountains(given: PaintingContext): void {
  const { plan, light } = given;
  const isBare = plan.ground === 'canyon';
  const stage = isBare ? { ...given, light: { ...light, land: CLAY } } : given;
  const random = plan.random.branch('mountains');
  const tall = random.between(0.22, 0.42);
  const snow = isBare ? 0 : plan.season === 'winter' ? 0.65 : random.between(0.15, 0.42);
  paintRange(stage, { step: 0.26, tall: tall * 0.75, depth: 0.22, snow });
  paintRange(stage, { step: random.between(0.28, 0.5), tall, depth: 0.45, snow });
  const front = { name: 'front', y: plan.horizon + 0.26, rise: 0.12, swing: 1.6, rough: 2, depth: 0.92 };
  const line = paintRidge(stage, front);
  if (isBare) return;
  const pines = { name: 'pines', line, depth: 1, size: 0.1, shapes: ['pine-tall', 'pine'] };
  paintGrove(stage, { ...pines, share: random.between(0.3, 0.95) });
}

function paintRange(stage: PaintingContext, range: Record<'step' | 'tall' | 'depth' | 'snow', number>): void {
  const { plan, painter, light } = stage;
  const { step, tall, depth, snow } = range;
  const foot = plan.horizon + 0.08;
  const hue = plan.ground === 'canyon' ? CLAY : blend(light.land, 0x5b6478, 0.7);
  const lit = adjustLightness(tintByDepth(light, depth, hue), light.dark ? 0.05 : 0.14);
  const shaded = tintByDepth(light, depth, blend(hue, light.near, 0.3));
  const white = blend(adjustLightness(light.sky[3] ?? 0, light.dark ? 0.1 : 0.7), light.haze, 0.3 - depth * 0.3);
  const sunny = sunPlacement(stage).x > 0 ? 1 : -1;
  forEachPlaceInRow(stage, { name: `range${depth}`, step, reach: 0.8 }, (slot, random) => {
    const height = tall * random.between(0.5, 1.1);
    const half = height * random.between(0.7, 1.15);
    const [x, seed] = [slot + random.between(-0.3, 0.3) * step, random.below(99999)];
    const peak = { x, top: foot - height, height, half, sunny, seed };
    painter.polygon(flank(peak, [-1, 1], 1), shaded);
    painter.polygon(flank(peak, [0, sunny], 1), lit);
    if (snow === 0) return;
    painter.polygon(flank(peak, [-1, 1], snow), blend(white, shaded, 0.4));
    painter.polygon(flank(peak, [0, sunny], snow), white);
  });
  paintRidge(stage, { name: `foot${depth}`, y: foot + 0.02, rise: 0.04, swing: 4, rough: 2, depth: depth + 0.12 });
}

type Peak = Record<'x' | 'top' | 'height' | 'half' | 'sunny' | 'seed', number>;

/**
 * The outline of a peak between two sides: -1 is its left edge, 0 the ridge in the middle, 1 its right edge. `share` is the
 * part of its height that is painted, from the top. Less than 1 is snow, with a jagged lower edge.
 */
function flank({ x, top, height, half, sunny, seed }: Peak, [from, to]: [number, number], share: number): number[] {
  const edge = (side: number, down: number) => {
    const jag = layeredNoise(seed + (side + 2) * 31, down * 6, 2) * 0.13 * half;
    const across = side === 0 ? -0.25 * sunny * down * half : side * down * half;
    return [x + across + jag * Math.min(1, down * 3), top + height * down];
  };
  const steps = Array.from({ length: 13 }, (_, step) => (share * step) / 12);
  const points = [
    ...steps.toReversed().flatMap((down) => edge(from, down)),
    ...steps.flatMap((down) => edge(to, down)),
  ];
  const [right = 0, left = 0] = [points.at(-2), points[0]];
  for (let drip = 1; drip < 8 && share < 1; drip++) {
    points.push(right + ((left - right) * drip) / 8, top + height * share * (drip % 2 === 0 ? 0.75 : 1.25));
  }
  return points;
}

export function paintHills(stage: PaintingContext): void {
  const { plan } = stage;
  const random = plan.random.branch('hills');
  const rows = 4 + random.below(2);
  const [rise, swing] = [random.between(0.06, 0.2), random.between(0.9, 2.4)];
  for (let row = 0; row < rows; row++) {
    const depth = (row + 1) / rows;
    const place = { y: plan.horizon + 0.04 + depth * depth * 0.36, rise: rise * (0.7 + depth * 0.6) };
    const shape = { swing: swing * (1.4 - depth * 0.6), rough: 2, depth: depth * 0.95 };
    const line = paintRidge(stage, { name: `hill${row}`, ...place, ...shape });
    const grove = { name: `grove${row}`, line, depth, share: random.between(0, 0.55), size: 0.03 + depth * 0.08 };
    paintGrove(stage, { ...grove, shapes: ['round', 'round', 'pine'] });
  }
}

export function paintForest(stage: PaintingContext): void {
  const { plan } = stage;
  const random = plan.random.branch('forest');
  for (let row = 0; row < 3; row++) {
    const depth = (row + 0.6) / 3;
    const floor = { name: `floor${row}`, y: plan.horizon + 0.02 + depth * 0.3, rise: 0.05, swing: 2, rough: 2, depth };
    const [share, size] = [random.between(0.5, 0.9), 0.14 + depth * random.between(0.18, 0.32)];
    const pines = { name: `pine${row}`, line: paintRidge(stage, floor), depth, share, size };
    paintGrove(stage, { ...pines, shapes: ['pine', 'pine-tall', 'tree'] });
  }
}

export function paintMeadow(stage: PaintingContext): void {
  const { plan } = stage;
  const random = plan.random.branch('meadow');
  paintRidge(stage, { name: 'hedge', y: plan.horizon + 0.04, rise: 0.06, swing: 5, rough: 4, depth: 0.35 });
  const field = { name: 'field', y: plan.horizon + 0.08, rise: 0.05, swing: 1.2, rough: 2, depth: 0.62 };
  const line = paintRidge(stage, field);
  const lone = { name: 'lone', line, depth: 0.7, size: random.between(0.1, 0.24), shapes: ['round', 'tree'] };
  paintGrove(stage, { ...lone, share: random.between(0.02, 0.25) });
  paintRidge(stage, { name: 'grass', y: plan.horizon + 0.24, rise: 0.05, swing: 1.4, rough: 2, depth: 0.9 });
  paintBlades(stage, plan.horizon + 0.3);
}

function paintBlades(stage: PaintingContext, foot: number): void {
  const { painter, light } = stage;
  const green = tintByDepth(light, 1);
  forEachPlaceInRow(stage, { name: 'blade', step: 0.012, reach: 0.1 }, (x, random) => {
    const [tall, lean] = [0.09 * random.between(0.5, 1.2), random.between(-0.03, 0.04)];
    const y = foot + random.between(0, 0.06);
    const colour = adjustLightness(green, random.between(-0.2, 0.12));
    painter.polygon([x - 0.004, y + 0.08, x + lean, y - tall, x + 0.005, y + 0.08], colour);
  });
  painter.below(() => foot + 0.07, [adjustLightness(green, -0.2)], 1);
}

const SAND = 0xe0b070;

export function paintDesert(stage: PaintingContext): void {
  const { plan, painter, light } = stage;
  const random = plan.random.branch('desert');
  const rows = 3 + random.below(2);
  const away = sunPlacement(stage).x > 0 ? -1 : 1;
  for (let row = 0; row < rows; row++) {
    const lit = tintByDepth(light, (row + 0.7) / rows, SAND);
    const [seed, y, tall] = [random.below(9999), plan.horizon + 0.05 + (row / rows) * 0.34, random.between(0.07, 0.17)];
    const crest = (x: number) => y - tall * (0.5 + smoothNoise(seed, x * 1.7));
    painter.below(crest, [lit, adjustLightness(lit, -0.08), adjustLightness(lit, -0.16)], tall + 0.2);
    const lee = (x: number) => crest(x) + 0.015 + 0.09 * Math.max(0, smoothNoise(seed + 7, x * 2.3 + away));
    painter.below(lee, [adjustLightness(blend(lit, light.near, 0.3), -0.08), lit], 0.2);
  }
  forEachPlaceInRow(stage, { name: 'cactus', step: 0.33, reach: 0.2 }, (x, own) => {
    if (!own.chance(0.45)) return;
    const placed = { x, y: own.between(0.74, 0.86), size: own.between(0.1, 0.26), flip: own.chance(0.5) };
    painter.silhouette('cactus', { ...placed, colour: tintByDepth(light, 1, 0x2f5d3a) });
  });
}
