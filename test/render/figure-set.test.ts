import { expect, it } from 'vitest';
import { FigureSet } from '../../src/render/scene/figure-set.ts';

const figures = new FigureSet();

it.each(['child', 'boy', 'girl', 'man', 'woman', 'old-man', 'old-woman', 'person'])(
  'shows a whole %s, no head alone',
  (concept) => {
    const shape = figures.shape(concept);
    // A head is as wide as high.
    expect((shape?.height ?? 0) / (shape?.width ?? 1)).toBeGreaterThan(1.25);
  },
);
