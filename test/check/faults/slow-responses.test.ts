import { expect, it } from 'vitest';
import { SlowResponses } from '../../../src/check/faults/arm-faults.ts';
import type { Step } from '../../../src/check/faults/step.ts';

const stepOf = (name: string): Step => ({ name, kind: 'call', about: [], match: {}, traits: {} });
const [first, second] = [stepOf('POST /v1/chat/completions #1'), stepOf('POST /v1/chat/completions #2')];

it('holds later responses for a second if a client has waited out a whole one', () => {
  const slow = new SlowResponses(10_000);
  expect([slow.msFor(first, 'new'), slow.msFor(second, 'new')]).toEqual([10_000, 10_000]);
  slow.waitedOut(first);
  expect([slow.msFor(first, 'new'), slow.msFor(second, 'new')]).toEqual([1000, 1000]);
  // Another client may have less patience, and what has failed is looked at again as it was.
  expect(slow.msFor(stepOf('POST /v1/images/generations #1'), 'new')).toBe(10_000);
  expect([slow.msFor(first, 'next'), slow.msFor(first, 'calm')]).toEqual([10_000, 10_000]);
});

it('never holds a response for longer than its limit', () => {
  const slow = new SlowResponses(500);
  slow.waitedOut(first);
  expect(slow.msFor(first, 'new')).toBe(500);
});
