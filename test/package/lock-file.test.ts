import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** The most packages that `npm ci` of a checkout may install. */
const LIMIT = 720;

function packagesOf(file: string): [string, { integrity?: string }][] {
  const lock = JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'));
  return Object.entries<{ integrity?: string }>(lock.packages).filter(([name]) => name !== '');
}

it.each(['package-lock.json', 'test/tools/package-lock.json', 'test/tools/long/package-lock.json'])(
  'locks each package of %s by the hash of its bytes',
  (file) => {
    const packages = packagesOf(file);
    expect(packages.length).toBeGreaterThan(200);
    const bare = packages.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
    expect(bare.map(([name]) => name)).toEqual([]);
  },
);

it('package-lock.json lists at most 720 packages', () => {
  expect(packagesOf('package-lock.json').length).toBeLessThanOrEqual(LIMIT);
});
