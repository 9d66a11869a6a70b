import { drawPairs } from '../orders/draw-pairs.ts';
import type { Drawn } from '../orders/drawn.ts';
import type { Pair } from './pair-trails.ts';
import { printTree } from './print-tree.ts';

/** What the app did beside what should have come, with the number of each step between them. */
export function printPairs(pairs: readonly Pair[]): string {
  const drawn = pairs.map(({ did, should }) => ({ sides: [did, should] as const, isSame: did === should }));
  if (drawn.every(({ isSame }) => isSame)) return '';
  const did = head('What happened here', 'the run that failed');
  const should = head('What should have come', 'an undisturbed run of the same outcome');
  return printTree(drawPairs('The failing run beside an undisturbed one', [did, should], drawn));
}

function head(title: string, note: string): Drawn {
  return ['span', null, ['b', null, title], ['small', null, note]];
}
