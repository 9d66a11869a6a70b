import { blend } from '../paint/palette.ts';
import { along, lighten, saturate } from '../paint/rgb.ts';
import { layeredNoise, smoothNoise, wave } from '../paint/seeded-random.ts';
import { eachSlot, type Stage, tone } from './stage.ts';

/** Stars, a nebula, planets with bands, moons and rings; sometimes the ground of another world. */
export function paintSpace(stage: Stage): void {
  const { plan, painter, light, spread } = stage;
  const random = plan.random.branch('space');
  const deep = blend(0x05060f, light.sky[0] ?? 0, 0.35);
  painter.canvas.fillBox([0, 0, painter.canvas.width, painter.canvas.height], painter.place(deep));
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
    for (let x = painter.left - 0.1; x < painter.right + 0.1; x += 0.02) points.push(x, edge(x, -1));
    for (let x = painter.right + 0.1; x > painter.left - 0.1; x -= 0.02) points.push(x, edge(x, 1));
    painter.polygon(points, colour);
  }
}

function paintPlanet(stage: Stage, planet: { x: number; y: number; size: number; name: string }): void {
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
  const shades = Array.from({ length: 10 }, (_, at) => painter.place(lighten(look.base, 0.3 - at * 0.06)));
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
      points.push(ring.x + x, ring.y + x * ring.tilt + ring.up * Math.abs(sin) * radius * ring.size * 0.26);
    };
    for (let step = 0; step <= 24; step++) arc(step / 48, outer);
    for (let step = 24; step >= 0; step--) arc(step / 48, inner);
    painter.polygon(points, lighten(colour, shade));
  }
}
