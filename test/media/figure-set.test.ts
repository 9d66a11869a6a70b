import { expect, it } from 'vitest';
import { FigureSet } from '../../src/media/scene/figure-set.ts';
import { placedFigures } from '../../src/media/scene/paint-figures.ts';
import { loadSceneAssets } from '../../src/media/scene/painter.ts';
import { planScene } from '../../src/media/scene/scene-plan.ts';

const figures = new FigureSet();
const kit = loadSceneAssets();

/** The figures of a scene, from back to front. */
function placedIn(prompt: string) {
  const plan = planScene(kit, { prompt, seed: 5, strength: 1 });
  return placedFigures({ plan, spread: 0.5, floor: 0.84 });
}

it.each(['child', 'boy', 'girl', 'man', 'woman', 'old-man', 'old-woman', 'person', 'queen'])(
  'has a figure of a %s that is clearly higher than wide, unlike a head',
  (concept) => {
    const shape = figures.shape(concept);
    // A head is as wide as high.
    expect((shape?.height ?? 0) / (shape?.width ?? 1)).toBeGreaterThan(1.25);
  },
);

it.each(['a man riding a horse', 'ein Ritter reitet auf einem Pferd', 'a girl riding an elephant'])(
  'seats a rider on the mount: %s',
  (prompt) => {
    const [rider, mount] = placedIn(prompt);
    if (!rider || !mount) throw new Error('there are not two figures');
    const top = ({ y, size, figure }: typeof rider) => y - size * figure.shape.height;
    expect(rider.x).toBe(mount.x);
    expect(top(rider)).toBeLessThan(top(mount));
    expect(rider.y).toBeLessThan(mount.y);
    expect(rider.y).toBeGreaterThan(top(mount));
  },
);

it.each([
  ['a bowl', 'bowl'],
  ['a bottle', 'bottle'],
  ['eine Tasse', 'cup'],
  ['un vase', 'amphora'],
  ['一杯咖啡', 'coffee'],
  ['ein Teller Suppe', 'soup'],
])('puts a container on a table if the prompt names no place for it: %s', (prompt, concept) => {
  const [table, vessel] = placedIn(prompt);
  expect([table?.figure.shape.concept, vessel?.figure.shape.concept]).toEqual(['table', concept]);
  const top = (table?.y ?? 0) - (table?.size ?? 0) * (table?.figure.shape.height ?? 0);
  expect(vessel?.y).toBeGreaterThan(top);
  expect(vessel?.y).toBeLessThan(top + 0.1);
});

it.each([
  ['a vase of roses', 'amphora', 'rose'],
  ['a basket of apples', 'basket', 'apple'],
  ['花瓶に入ったチューリップ', 'amphora', 'tulip'],
  ['a message in a bottle', 'bottle', 'letter'],
])('puts what a container holds into it: %s', (prompt, vessel, content) => {
  const placed = placedIn(prompt);
  const found = (concept: string) => placed.filter(({ figure }) => figure.shape.concept === concept);
  const [holder] = found(vessel);
  expect(found(content).length).toBeGreaterThan(0);
  for (const { x, y } of found(content)) {
    expect(Math.abs(x - (holder?.x ?? 0))).toBeLessThan((holder?.size ?? 0) / 2);
    expect(y).toBeLessThan(holder?.y ?? 0);
  }
});

it('draws one bottle, and no other figure, for a bottle on a beach', () => {
  expect(placedIn('a bottle on a beach').map(({ figure }) => figure.shape.concept)).toEqual(['bottle']);
});

it('has a figure for each of five common emoji', () => {
  for (const emoji of ['😂', '💙', '👍', '✨', '🎉']) {
    const code = emoji.codePointAt(0)?.toString(16) ?? '';
    expect([emoji, figures.shape(figures.conceptOf(code) ?? '') !== undefined]).toEqual([emoji, true]);
  }
});
