import { blend } from '../paint/palette.ts';
import { lighten } from '../paint/rgb.ts';
import { paintRidge } from './paint-ridge.ts';
import { type Stage, tone } from './stage.ts';

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
