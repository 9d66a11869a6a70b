import { expect, it } from 'vitest';
import { findFailedCheckId } from '../../../src/check/faults/failed-check.ts';

const ORDER = 'POST /v1/music/generations #1';

it.each([
  ['empty_balance', ORDER],
  ['status:429', ORDER],
  ['lost', 'delivery music.generation.failed #1'],
])('fails the check refunds-failures for a failed job together with the fault %s at %s', (fault, site) => {
  const failed = { site: 'job music #1', fault: 'fails' };
  expect(findFailedCheckId({ scenario: [failed, { site, fault }], kind: 'check' })).toBe('refunds-failures');
});
