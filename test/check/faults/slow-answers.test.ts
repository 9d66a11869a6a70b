import { expect, it } from 'vitest';
import { SlowAnswers } from '../../../src/check/faults/arm-faults.ts';
import type { Step } from '../../../src/check/faults/step.ts';

const stepOf = (name: string): Step => ({ name, kind: 'call', about: [], match: {}, traits: {} });
const [first, second] = [stepOf('POST /v1/chat/completions #1'), stepOf('POST /v1/chat/completions #2')];

it('holds later answers of a client for a second once it has waited out a whole one', () => {
  const slow = new SlowAnswers(10_000);
  expect([slow.msFor(first, 'new'), slow.msFor(second, 'new')]).toEqual([10_000, 10_000]);
  slow.waitedOut(first);
  expect([slow.msFor(first, 'new'), slow.msFor(second, 'new')]).toEqual([1000, 1000]);
  // Another client may have less patience, and what has failed is looked at again as it was.
  expect(slow.msFor(stepOf('POST /v1/images/generations #1'), 'new')).toBe(10_000);
  expect([slow.msFor(first, 'next'), slow.msFor(first, 'calm')]).toEqual([10_000, 10_000]);
});

it('never holds an answer for longer than it is told to', () => {
  const slow = new SlowAnswers(500);
  slow.waitedOut(first);
  expect(slow.msFor(first, 'new')).toBe(500);
});
