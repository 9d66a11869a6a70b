import { z } from 'zod';
import { unixSeconds } from '../base/clock/clock.ts';
import { makeId, numberOf } from '../base/database/id-store.ts';
import { EmulatorError, quoted } from '../base/errors.ts';
import type { Random } from '../base/random.ts';
import { listAccountIds } from '../engine/accounts/account-store.ts';
import { balanceHistory } from '../engine/ledger/entry-numbers-store.ts';
import { findEntry, findRefund, listEntries } from '../engine/ledger/entry-store.ts';
import { ENTRY_TYPES, type StoredEntry } from '../engine/ledger/ledger-store.ts';
import type { Context } from '../service/http/context.ts';
import { optional, whole } from '../service/http/input.ts';
import { operation } from '../service/http/operation.ts';
import { MOST_CREDITS, requireAccount } from './accounts.ts';
import { listAnswer, listOf, pageQuery, positionAfter, STANDARD_LIMIT, wordsQuery } from './list-page.ts';

/** One movement of money: `amount` is negative for a charge, `balance` is what was left after it, `created` unix seconds. */
const entryRecord = z.strictObject({
  id: z.string(),
  type: z.enum(ENTRY_TYPES),
  amount: z.int(),
  balance: z.int(),
  operation: z.string().nullable(),
  model: z.string().nullable(),
  job_id: z.string().nullable(),
  refund_of: z.string().nullable(),
  /** The request that was paid for; null for a step of a flow, and for what no request paid. */
  request_id: z.string().nullable(),
  created: z.int(),
});

/** As the page reads it. @public */
export type EntryRecord = z.infer<typeof entryRecord>;

/** One by itself: whose it is, and what gave it back. */
const wholeEntry = entryRecord.extend({ account_id: z.string(), refunded_by: z.string().nullable() });

/** How a balance moved: `entries` counts all, `start` stood before the first; `data` are some of them. */
const balanceRecord = z.strictObject({
  account_id: z.string(),
  entries: z.int(),
  start: z.int(),
  data: z.array(z.strictObject({ created: z.int(), balance: z.int() })),
});

export type BalanceRecord = z.infer<typeof balanceRecord>;

const STANDARD_POINTS = 400;

export const topUpCredits = operation({
  name: 'topUpCredits',
  method: 'POST',
  path: '/_emulator/accounts/:id/credits',
  summary: 'A top-up.',
  access: 'local',
  body: z.object({
    amount: whole(1, MOST_CREDITS).describe('a whole number of credits, 1 or more.'),
  }),
  status: 201,
  answer: entryRecord,
  async handle(call) {
    return entryView(call.context.random, await call.context.accounts.topUp(call.param('id'), call.body.amount));
  },
});

export const listUsage = operation({
  name: 'listUsage',
  method: 'GET',
  path: '/_emulator/accounts/:id/usage',
  summary: 'The usage log: the ledger of an account, newest first.',
  access: 'local',
  query: pageQuery.extend({
    ...wordsQuery.shape,
    type: optional(z.enum(ENTRY_TYPES)).describe(`${ENTRY_TYPES.join(', ')}.`),
  }),
  answer: listAnswer(entryRecord),
  handle(call) {
    const { database, random } = call.context;
    const { id } = requireAccount(call.context, call.param('id'));
    const { limit = STANDARD_LIMIT, after, q, type } = call.query;
    const before = positionAfter(after, (entry) => numberOf(random, 'entry', id, entry));
    return listOf(listEntries(database, id, { limit, before, q, type }).map((entry) => entryView(random, entry)));
  },
});

export const showLedgerEntry = operation({
  name: 'getLedgerEntry',
  method: 'GET',
  path: '/_emulator/ledger/:id',
  summary: 'One ledger entry: whose it is, and what gave it back.',
  access: 'local',
  answer: wholeEntry,
  handle(call) {
    const { random, database } = call.context;
    const entry = requireEntry(call.context, call.param('id'));
    const { accountId, n } = entry;
    const refund = findRefund(database, accountId, n);
    return {
      ...entryView(random, entry),
      account_id: accountId,
      refunded_by: refund ? makeId(random, 'entry', accountId, refund.n) : null,
    };
  },
});

export const showBalance = operation({
  name: 'getBalanceHistory',
  method: 'GET',
  path: '/_emulator/accounts/:id/balance',
  summary: 'How the balance moved: what stood at first, then after some of the entries, the last included.',
  access: 'local',
  query: z.object({
    since: optional(z.iso.datetime({ offset: true })).describe('an ISO 8601 time; only entries made then or later.'),
    points: optional(z.coerce.number().int().min(2).max(2000)).describe(
      'a whole number from 2 to 2,000, by default 400: how many entries at most.',
    ),
  }),
  answer: balanceRecord,
  handle(call) {
    const { id } = requireAccount(call.context, call.param('id'));
    const { since, points = STANDARD_POINTS } = call.query;
    const from = since === undefined ? 0 : Date.parse(since);
    const { entries, start, sample } = balanceHistory(call.context.database, id, { from, points });
    const data = sample.map(({ created, balance }) => ({ created: unixSeconds(created), balance }));
    return { account_id: id, entries, start, data };
  },
});

/** The id shows its account only by trying all: rare, and asked for by people. */
function requireEntry({ database, random }: Context, id: string): StoredEntry {
  for (const accountId of listAccountIds(database)) {
    const n = numberOf(random, 'entry', accountId, id);
    const entry = n === undefined ? undefined : findEntry(database, accountId, n);
    if (entry) return entry;
  }
  throw new EmulatorError(
    'not_found',
    `There is no ledger entry ${quoted(id)}. GET /_emulator/accounts/{id}/usage lists those of an account.`,
  );
}

/** A ledger entry as the usage log shows it. */
function entryView(random: Random, entry: StoredEntry) {
  const { accountId, n, type, amount, balance, operation: kind, model, jobId, created } = entry;
  return {
    id: makeId(random, 'entry', accountId, n),
    type,
    amount,
    balance,
    operation: kind,
    model,
    job_id: jobId,
    refund_of: entry.refundOf === null ? null : makeId(random, 'entry', accountId, entry.refundOf),
    request_id: entry.requestId,
    created: unixSeconds(created),
  };
}
