import { expect, it } from 'vitest';
import { ExpectedSuccesses } from '../../../src/check/app/expected-success.ts';
import type { LedgerRow, UnitRow } from '../../../src/check/runner/run-record.ts';
import { unitKey } from '../../../src/engine/accounts/units.ts';
import { BROKE, madeRequest, madeRun } from './made-run.ts';

function unit(name: string, accounts: string[]): UnitRow {
  const place = {
    file: `${process.cwd()}/shop.test.ts`,
    line: 3,
    started: '',
    ended: '',
    exclusive: false,
    error: null,
  };
  return { ...place, name, account_ids: accounts, outcome: 'failed' } as unknown as UnitRow;
}

const refund = (account: string, amount: number): LedgerRow => ({
  ...{ id: `le_${account}`, account_id: account, type: 'refund', amount, job_id: null },
});

const AT = { step: 'POST /v1/images/generations #1', deviation: 'empty_balance' };

it.each([
  ['its own account', ['acct_1'], ['acct_2'], 'POST /v1/images was answered 402; 4 credits came back'],
  [
    'the account that no test has',
    [],
    ['acct_1', 'acct_2'],
    'POST /v1/chat was answered 503; nothing was charged for it',
  ],
])('says of a test that expects success what it did in %s, and nothing of other tests', (_, accounts, others, did) => {
  const [other, own] = [unit('sings', others), unit('draws', accounts)];
  const requests = [
    madeRequest({ path: '/v1/images', status: 402 }),
    madeRequest({ account_id: 'acct_0', path: '/v1/chat', status: 503 }),
    madeRequest({ account_id: 'acct_2', path: '/v1/none', status: 404 }),
  ];
  const ledger = [refund('acct_1', 4), refund('acct_2', 9)];
  const expecting = new ExpectedSuccesses();
  const run = madeRun({ record: { units: [other, own], requests, ledger }, failure: BROKE });
  expecting.see(run, [AT], [unitKey(own)]);
  expect(expecting.all).toEqual([{ schedule: [AT], test: 'draws (shop.test.ts:3)', did }]);
});
