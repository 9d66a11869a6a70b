import { blend } from '../paint/palette.ts';
import { lighten } from '../paint/rgb.ts';
import type { SeededRandom } from '../paint/seeded-random.ts';
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
