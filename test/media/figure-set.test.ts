import { expect, it } from 'vitest';
import { FigureSet } from '../../src/media/scene/figure-set.ts';
import { placedFigures } from '../../src/media/scene/paint-figures.ts';
import { readSceneKit } from '../../src/media/scene/painter.ts';
import { planScene } from '../../src/media/scene/scene-plan.ts';

const figures = new FigureSet();

it.each(['child', 'boy', 'girl', 'man', 'woman', 'old-man', 'old-woman', 'person', 'queen'])(
  'shows a whole %s, no head alone',
  (concept) => {
    const shape = figures.shape(concept);
    // A head is as wide as high.
    expect((shape?.height ?? 0) / (shape?.width ?? 1)).toBeGreaterThan(1.25);
  },
);

it.each(['a man riding a horse', 'ein Ritter reitet auf einem Pferd', 'a girl riding an elephant'])(
  'seats who rides on what is ridden: %s',
  (prompt) => {
    const kit = readSceneKit();
    const plan = planScene(kit, { prompt, seed: 5, strength: 1 });
    const [rider, mount] = placedFigures({ plan, spread: 0.5, floor: 0.84 });
    if (!rider || !mount) throw new Error('there are not two figures');
    const top = ({ y, size, figure }: typeof rider) => y - size * figure.shape.height;
    expect(rider.x).toBe(mount.x);
    expect(top(rider)).toBeLessThan(top(mount));
    expect(rider.y).toBeLessThan(mount.y);
    expect(rider.y).toBeGreaterThan(top(mount));
  },
);
