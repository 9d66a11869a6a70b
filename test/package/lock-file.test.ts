import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Locked {
  resolved?: string;
  integrity?: string;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
}

const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'));
const packages = Object.entries(lock.packages as Record<string, Locked>).filter(([name]) => name !== '');

it('locks each package that is installed by the hash of its bytes', () => {
  expect(packages.length).toBeGreaterThan(500);
  // A build for another machine, which the registry did not offer when it was locked: it is no part of any install yet.
  const isForeign = ({ optional, resolved, os, cpu, libc = ['glibc'] }: Locked) =>
    optional && !resolved && !(os?.includes('linux') && cpu?.includes('x64') && libc.includes('glibc'));
  const bare = packages.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
  expect(bare.filter(([, each]) => !isForeign(each)).map(([name]) => name)).toEqual([]);
});
