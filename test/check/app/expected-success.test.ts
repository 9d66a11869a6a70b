import { expect, it } from 'vitest';
import { ExpectedSuccesses } from '../../../src/check/app/expected-success.ts';
import type { LedgerRow, RequestRow, UnitRow } from '../../../src/check/runner/run-record.ts';
import type { Run } from '../../../src/check/runner/runner.ts';
import { unitKey } from '../../../src/engine/accounts/units.ts';

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

function request(account: string, path: string, status: number): RequestRow {
  return {
    ...{ id: `req_${path}`, account_id: account, method: 'POST', path, status, received_at: '', duration_ms: 1 },
    ...{ charges: [], job_ids: [], request: null, answer: null },
  };
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
    request('acct_1', '/v1/images', 402),
    request('acct_0', '/v1/chat', 503),
    request('acct_2', '/v1/none', 404),
  ];
  const ledger = [refund('acct_1', 4), refund('acct_2', 9)];
  const record = { units: [other, own], requests, jobs: [], deliveries: [], ledger, findings: [] };
  const expecting = new ExpectedSuccesses();
  const run: Run = {
    ...{ record, failure: { kind: 'exit', message: '' }, output: '', probe: undefined, check: undefined },
    ...{ rested: true, made: 0, began: 0, ended: 0, ms: 0 },
  };
  expecting.see(run, [AT], [unitKey(own)]);
  expect(expecting.all).toEqual([{ schedule: [AT], test: 'draws (shop.test.ts:3)', did }]);
});
