import { expect, it } from 'vitest';
import { brokenOf, copyOf, expectFound, statementsOf } from './bank-sample.ts';

/** Two for all; more are in the long run, and every one by `npm run explore:bank`. */
it.each([
  ['chat', 'takes a cut stream for a whole one', 'cut:middle', 'check'],
  ['batch', 'keeps half a file', 'truncated', 'probe'],
])('finds what is planted in the %s (%s), and nothing in the correct one [I240 I243]', expectFound);

it.each(['shop', 'cards', 'chat', 'batch', 'publisher'])(
  'plants every bug of the %s where the correct one has its line, and says which statement it breaks',
  async (app) => {
    const broken = Object.entries(await brokenOf(app));
    expect(broken.length).toBeGreaterThanOrEqual(10);
    for (const [name, changes] of broken) {
      expect(() => copyOf(app, name, changes)).not.toThrow();
      expect(statementsOf(name)).not.toEqual([]);
    }
  },
);
