import { blend } from '../paint/palette.ts';
import { along, lighten, saturate } from '../paint/rgb.ts';
import { layeredNoise, smoothNoise, wave } from '../paint/smooth-noise.ts';
import { paintRidge } from './paint-ridge.ts';
import { eachSlot, type Stage, tone } from './stage.ts';

/** Stars, a nebula, planets with bands, moons and rings; sometimes the ground of another world. */
export function paintSpace(stage: Stage): void {
  const { plan, painter, light, spread } = stage;
  const random = plan.random.branch('space');
  const deep = blend(0x05060f, light.sky[0] ?? 0, 0.35);
  painter.canvas.fillBox(0, 0, painter.canvas.width, painter.canvas.height, painter.place(deep));
  paintNebula(stage, deep);
  eachSlot(stage, { name: 'far', step: 0.02, reach: 0 }, (x, own) => {
    for (let star = 0; star < 5; star++) {
      const size = own.chance(0.06) ? 0.004 : 0.0017;
      painter.disc(
        x + own.next() * 0.02,
        own.between(-0.3, 1.1),
        size * own.between(0.6, 1),
        blend(deep, 0xffffff, own.between(0.35, 1)),
      );
    }
  });
  const planets = 1 + random.below(3);
  for (let at = 0; at < planets; at++) {
    const size = at === 0 ? random.between(0.14, 0.3) : random.between(0.03, 0.09);
    const side = at % 2 === 0 ? plan.focus : -plan.focus;
    paintPlanet(stage, {
      x: side * spread * random.between(0.2, 0.9),
      y: random.between(0.16, 0.5),
      size,
      name: `planet${at}`,
    });
  }
  if (!random.chance(0.6)) return;
  const dust = tone(light, 1, random.pick([0x8a5a48, 0x6b6a78, 0x54707a]));
  const seed = random.below(9999);
  const rim = random.between(0.68, 0.8);
  painter.below(
    (x) => rim + x * x * 0.1 + layeredNoise(seed, x * 3, 4) * 0.04,
    [lighten(dust, 0.15), dust, lighten(dust, -0.2), lighten(dust, -0.35)],
    0.25,
  );
}

function paintNebula({ painter, plan, light }: Stage, deep: number): void {
  const random = plan.random.branch('nebula');
  const hues = [light.sky[2] ?? 0, light.sky[3] ?? 0].map((hue) => saturate(hue, 1.4));
  const lean = random.between(-0.8, 0.8);
  const middle = random.between(0.2, 0.6);
  for (let veil = 0; veil < 7; veil++) {
    const seed = random.below(9999);
    const colour = blend(deep, along(hues, veil / 6), 0.1 + veil * 0.035);
    const half = 0.26 - veil * 0.034;
    const points: number[] = [];
    const edge = (x: number, side: number) =>
      middle + lean * x * 0.5 + side * half * (0.6 + 0.6 * layeredNoise(seed + side, x * 3, 3));
    for (let x = painter.left - 0.1; x < painter.right + 0.1; x += 0.02)
      points.push(x, edge(x, -1));
    for (let x = painter.right + 0.1; x > painter.left - 0.1; x -= 0.02) points.push(x, edge(x, 1));
    painter.polygon(points, colour);
  }
}

function paintPlanet(
  stage: Stage,
  planet: { x: number; y: number; size: number; name: string },
): void {
  const { painter, plan, light } = stage;
  const { x, y, size } = planet;
  const random = plan.random.branch(planet.name);
  const base = random.pick([0xd08a5a, 0x5a8fd0, 0x9a6ad0, 0xd0b070, 0x5fb09a, light.leaf]);
  const ringed = size > 0.08 && random.chance(0.5);
  const ring = blend(base, 0xffffff, 0.45);
  const tilt = random.between(-0.35, 0.35);
  if (ringed) halfRing(painter, { x, y, size, tilt, up: -1 }, ring);
  paintGlobe(painter, planet, { base, seed: random.below(9999), bands: random.between(3, 9) });
  if (ringed) halfRing(painter, { x, y, size, tilt, up: 1 }, ring);
}

/** Bands of cloud on a ball, darker towards one side. */
function paintGlobe(
  painter: Stage['painter'],
  { x, y, size }: { x: number; y: number; size: number },
  look: { base: number; seed: number; bands: number },
): void {
  const { scale } = painter.view;
  const [cx, cy, r] = [x * scale + painter.view.x, y * scale + painter.view.y, size * scale];
  const shades = Array.from({ length: 10 }, (_, at) =>
    painter.place(lighten(look.base, 0.3 - at * 0.06)),
  );
  for (let row = Math.floor(cy - r); row <= cy + r; row++) {
    const up = (row + 0.5 - cy) / r;
    const half = Math.sqrt(Math.max(0, 1 - up * up)) * r;
    const band = Math.round(2 + 1.6 * smoothNoise(look.seed, up * look.bands));
    for (let part = 0; part < 6; part++) {
      const from = cx - half + (half * 2 * part * part) / 36;
      const to = cx - half + (half * 2 * (part + 1) * (part + 1)) / 36;
      painter.span(row, [from, to], shades[Math.min(9, Math.max(0, 5 - part + band))] ?? 0);
    }
  }
}

function halfRing(
  painter: Stage['painter'],
  ring: { x: number; y: number; size: number; tilt: number; up: number },
  colour: number,
): void {
  for (const [inner, outer, shade] of [
    [1.3, 1.55, 0],
    [1.62, 1.9, -0.2],
  ] as const) {
    const points: number[] = [];
    const arc = (turn: number, radius: number) => {
      const [cos, sin] = [wave(turn + 0.25), wave(turn)];
      const x = cos * radius * ring.size;
      points.push(
        ring.x + x,
        ring.y + x * ring.tilt + ring.up * Math.abs(sin) * radius * ring.size * 0.26,
      );
    };
    for (let step = 0; step <= 24; step++) arc(step / 48, outer);
    for (let step = 24; step >= 0; step--) arc(step / 48, inner);
    painter.polygon(points, lighten(colour, shade));
  }
}

/** Below the surface: rays of light, rocks, corals, weed, bubbles and a shoal. */
export function paintDeep(stage: Stage): void {
  const { plan, painter, light } = stage;
  const random = plan.random.branch('deep');
  const top = blend(light.dark ? 0x0f3a5c : 0x3fb3d0, light.sky[2] ?? 0, 0.25);
  const low = blend(0x06243f, light.near, 0.2);
  painter.below(
    () => painter.top - 0.1,
    Array.from({ length: 40 }, (_, at) => blend(top, low, at / 39)),
    1.2,
  );
  for (let ray = 0; ray < 7; ray++) {
    const x = random.between(-0.8, 0.8);
    const [wide, lean] = [random.between(0.02, 0.08), random.between(-0.3, 0.1)];
    painter.polygon(
      [x, -0.2, x + wide, -0.2, x + wide * 2 + lean, 0.55, x + lean, 0.55],
      blend(top, 0xffffff, 0.12),
    );
  }
  for (let row = 0; row < 3; row++) {
    paintRidge(
      { ...stage, light: { ...light, haze: blend(top, low, 0.6) } },
      {
        name: `bed${row}`,
        y: 0.72 + row * 0.1,
        rise: 0.16,
        swing: 2 + row,
        rough: 4,
        depth: 0.3 + row * 0.3,
      },
    );
    paintCorals(stage, row);
  }
  eachSlot(stage, { name: 'bubble', step: 0.09, reach: 0 }, (x, own) => {
    for (let at = 0; at < 3; at++)
      painter.disc(
        x + own.next() * 0.05,
        own.between(0.1, 0.8),
        own.between(0.002, 0.008),
        blend(top, 0xffffff, 0.4),
      );
  });
  const school = random.between(0.15, 0.5);
  for (let fish = 0; fish < 5 + random.below(14); fish++) {
    painter.silhouette('fish', {
      x: plan.focus * -0.25 + random.between(-0.3, 0.3),
      y: school + random.between(-0.1, 0.14),
      size: random.between(0.025, 0.06),
      colour: blend(low, light.leaf, 0.6),
      flip: plan.focus > 0,
    });
  }
}

function paintCorals(stage: Stage, row: number): void {
  const { painter, light } = stage;
  const hues = [0xf0706a, 0xf2a65a, 0xd86ab0, 0x6ac0a0, light.leaf];
  eachSlot(stage, { name: `coral${row}`, step: 0.12, reach: 0.1 }, (x, own) => {
    if (!own.chance(0.6)) return;
    const colour = blend(own.pick(hues), 0x0a3050, 0.55 - row * 0.18);
    const y = 0.74 + row * 0.1 + own.between(-0.03, 0.05);
    if (own.chance(0.4))
      painter.silhouette('coral', { x, y, size: own.between(0.06, 0.13), colour });
    else paintWeed(painter, { x, y, tall: own.between(0.08, 0.26), seed: own.below(999) }, colour);
  });
}

function paintWeed(
  painter: Stage['painter'],
  weed: { x: number; y: number; tall: number; seed: number },
  colour: number,
): void {
  const points: number[] = [];
  const sway = (up: number) => weed.x + wave(up * 1.2 + weed.seed / 999) * 0.014 * up;
  for (let step = 0; step <= 10; step++)
    points.push(sway(step / 10) - 0.006 * (1 - step / 10), weed.y - (weed.tall * step) / 10);
  for (let step = 10; step >= 0; step--)
    points.push(sway(step / 10) + 0.006 * (1 - step / 10), weed.y - (weed.tall * step) / 10);
  painter.polygon(points, colour);
}

/** The world through a window, from a room with a table, a lamp and a plant. */
export function paintRoom(stage: Stage): void {
  const { plan, painter, light, spread } = stage;
  const random = plan.random.branch('room');
  paintRidge(stage, {
    name: 'outside',
    y: plan.horizon + 0.1,
    rise: 0.3,
    swing: 2,
    rough: 3,
    depth: 0.5,
  });
  const wall = blend(
    tone(light, 0.6, random.pick([0xc9a27e, 0x7e93a8, 0x9fae86, 0xb98a8a])),
    light.near,
    light.dark ? 0.4 : 0.05,
  );
  const half = spread * random.between(0.4, 0.66);
  const middle = plan.focus * spread * 0.15;
  const [top, sill] = [random.between(0.08, 0.16), random.between(0.56, 0.64)];
  const far = 3;
  painter.box(-far, -1, [far * 2, 1 + top], wall);
  painter.box(-far, sill, [far * 2, 1], lighten(wall, -0.12));
  painter.box(-far, top, [far + middle - half, sill - top], wall);
  painter.box(middle + half, top, [far, sill - top], wall);
  const frame = lighten(wall, 0.4);
  const panes = 1 + random.below(3);
  for (let bar = 0; bar <= panes; bar++)
    painter.box(middle - half + (bar / panes) * half * 2 - 0.008, top, [0.016, sill - top], frame);
  for (const y of [top - 0.01, top + (sill - top) * 0.4, sill - 0.01])
    painter.box(middle - half - 0.02, y, [half * 2 + 0.04, 0.02], frame);
  const wood = tone(light, 0.9, 0x7a5238);
  painter.box(-far, 0.74, [far * 2, 0.03], lighten(wood, 0.12));
  painter.box(-far, 0.77, [far * 2, 0.5], wood);
  painter.silhouette(random.pick(['tulip', 'seedling', 'telescope', 'violin', 'guitar']), {
    x: -plan.focus * spread * 0.6,
    y: 0.745,
    size: random.between(0.14, 0.3),
    colour: tone(light, 1, light.leaf),
  });
  const lamp = plan.focus * spread * 0.7;
  painter.box(lamp - 0.005, 0.56, [0.01, 0.185], light.near);
  painter.polygon(
    [lamp - 0.03, 0.48, lamp + 0.03, 0.48, lamp + 0.07, 0.58, lamp - 0.07, 0.58],
    blend(light.body, 0xffc878, 0.6),
  );
}
