import { blend } from '../paint/palette.ts';
import { lighten } from '../paint/rgb.ts';
import type { SeededRandom } from '../paint/seeded-random.ts';
import { paintRidge } from './paint-grove.ts';
import { paintWater } from './paint-water.ts';
import { deepening, eachSlot, type Stage, tone } from './stage.ts';

/** Rows of towers with lit windows, on a river or on a street. */
export function paintCity(stage: Stage): void {
  const { plan, painter, light } = stage;
  const random = plan.random.branch('city');
  const tall = random.between(0.22, 0.5);
  const rows = 3;
  const foot = plan.horizon + 0.14;
  for (let row = 0; row < rows; row++) {
    const depth = 0.2 + (row / rows) * 0.85;
    const step = 0.05 + row * random.between(0.02, 0.05);
    eachSlot(stage, { name: `tower${row}`, step, reach: 0.2 }, (x, own) => {
      const height = tall * own.between(0.2, 1) * (own.chance(0.12) ? 1.35 : 1) * (1 - row * 0.2);
      paintTower(stage, {
        x,
        y: foot + row * 0.03,
        width: step * own.between(0.75, 1.15),
        height,
        depth,
        random: own,
      });
    });
  }
  if (random.chance(0.5)) {
    paintWater(stage, foot + 0.07, 0.6);
    return;
  }
  painter.below(() => foot + 0.06, deepening(tone(light, 1, 0x30343e)), 0.3);
  const lamp = blend(light.body, 0xffc46b, 0.5);
  eachSlot(stage, { name: 'lamp', step: 0.16, reach: 0.1 }, (x) => {
    painter.box(x, foot - 0.02, [0.004, 0.12], lighten(light.near, -0.2));
    painter.disc(x + 0.002, foot - 0.024, 0.009, lamp);
  });
}

interface Tower {
  x: number;
  y: number;
  width: number;
  height: number;
  depth: number;
  random: SeededRandom;
}

function paintTower({ painter, light }: Stage, tower: Tower): void {
  const { x, y, width, height, random } = tower;
  const wall = tone(light, tower.depth, blend(0x3a4152, random.pick([0x5b4a4a, 0x39506b, 0x4a4a58]), 0.6));
  painter.box(x, y - height, [width, height + 0.2], wall);
  const roof = random.below(5);
  if (roof === 0) painter.box(x + width * 0.48, y - height - 0.06, [width * 0.05, 0.06], wall);
  if (roof === 1)
    painter.polygon(
      [x, y - height + 0.002, x + width / 2, y - height - width * 0.6, x + width, y - height + 0.002],
      wall,
    );
  if (roof === 2) painter.box(x + width * 0.2, y - height - 0.025, [width * 0.6, 0.025], wall);
  if (tower.depth < 0.4) return;
  const lit = blend(wall, light.dark ? 0xffd98a : lighten(light.sky[2] ?? 0, 0.2), light.dark ? 0.85 : 0.45);
  const [gap, pane] = [0.019, light.dark ? 0.4 : 0.75];
  for (let up = y - height + 0.014; up < y + 0.06; up += gap * 1.25) {
    for (let across = x + gap * 0.5; across < x + width - gap * 0.6; across += gap) {
      if (random.chance(pane)) painter.box(across, up, [gap * 0.5, gap * 0.62], lit);
    }
  }
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
