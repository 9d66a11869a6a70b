import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { SavedFindings } from '../../../src/check/app/saved-findings.ts';
import { writeToken } from '../../../src/check/app/token.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';

const MIB = 1024 * 1024;

/** Writes a trace of each size, in MiB, and makes it older than all that are written later. */
function traced(folder: string, round: string, sizes: readonly number[]): string[] {
  const saved = new SavedFindings(folder, '.svc-check');
  return sizes.map((size, at) => {
    const schedule = [{ step: `${round} #${at + 1}`, deviation: 'lost_answer' }];
    const token = writeToken({ version: '0.1.0', seed: 1, story: '1a2b', schedule });
    const file = saved.keepTrace({ token, schedule }, 'x'.repeat(size * MIB));
    const age = { first: 2000, second: 1000 }[round] ?? 0;
    utimesSync(path.join(folder, file), age + at, age + at);
    return path.basename(file);
  });
}

function pagesIn(folder: string): string[] {
  return readdirSync(path.join(folder, '.svc-check')).filter((name) => name.endsWith('.html'));
}

it('removes the oldest traces beyond 10 MiB, and nothing else', () => {
  const folder = emptyFolder();
  const newer = traced(folder, 'first', [3, 3]);
  const [oldest = '', ...older] = traced(folder, 'second', [2, 1.9]);
  writeFileSync(path.join(folder, '.svc-check/findings.json'), JSON.stringify(['x1-known']));
  const last = traced(folder, 'third', [1]);
  expect(pagesIn(folder).toSorted()).toEqual([...newer, ...older, ...last].toSorted());
  expect(oldest).toContain('second');
  const sizes = pagesIn(folder).map((name) => statSync(path.join(folder, '.svc-check', name)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(10 * MIB);
  expect(readdirSync(path.join(folder, '.svc-check'))).toContain('findings.json');
});

it('keeps what the search itself has written, however large it is', () => {
  const folder = emptyFolder();
  traced(folder, 'second', [4]);
  const own = traced(folder, 'first', [6, 6, 6]);
  expect(pagesIn(folder).toSorted()).toEqual(own.toSorted());
});

it('has the newest first, and forgets what is mended', () => {
  const saved = new SavedFindings(emptyFolder(), '.svc-check');
  saved.keep(['charge.none@ledger', 'spent.zero@answer']);
  saved.keep(['refund.none@ledger', 'spent.zero@answer']);
  expect(saved.survivors()).toEqual(['refund.none@ledger', 'spent.zero@answer', 'charge.none@ledger']);
  saved.keep([], ['spent.zero@answer']);
  expect(saved.survivors()).toEqual(['refund.none@ledger', 'charge.none@ledger']);
});
