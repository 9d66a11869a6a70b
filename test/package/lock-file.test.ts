import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'));
const packages = Object.entries(lock.packages as Record<string, { integrity?: string }>).filter(
  ([name]) => name !== '',
);

it('locks each package, for whatever machine it is, by the hash of its bytes', () => {
  expect(packages.length).toBeGreaterThan(500);
  const bare = packages.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
  expect(bare.map(([name]) => name)).toEqual([]);
});
