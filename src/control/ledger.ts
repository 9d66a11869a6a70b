import { z } from 'zod';
import { isoTime, unixSeconds } from '../base/clock/clock.ts';
import { numberOf } from '../base/database/id-store.ts';
import { findAccount } from '../engine/accounts/account-store.ts';
import { balanceHistory } from '../engine/ledger/entry-numbers-store.ts';
import { beginOfDay, listEntries } from '../engine/ledger/entry-store.ts';
import { ENTRY_TYPES } from '../engine/ledger/ledger-store.ts';
import { spendingOf, summarizeUsage } from '../engine/ledger/usage.ts';
import { optional, whole } from '../service/http/input.ts';
import type { Operation } from '../service/http/operation.ts';
import { MOST_CREDITS, requireAccount } from './accounts.ts';
import { get, post } from './control-operation.ts';
import { accountQuery, listAnswer, listOf, pageQuery, positionAfter, STANDARD_LIMIT, wordsQuery } from './list-page.ts';
import { entryView, paidEntry, sumOf } from './paid-entry.ts';

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

/** How a balance moved: `entries` counts all, `start` stood before the first; `data` are some of them. */
const balanceRecord = z.strictObject({
  account_id: z.string(),
  entries: z.int(),
  start: z.int(),
  data: z.array(z.strictObject({ created: z.int(), balance: z.int() })),
});

export type BalanceRecord = z.infer<typeof balanceRecord>;

const STANDARD_POINTS = 400;

const topUpCredits = post('topUpCredits', '/_emulator/accounts/:id/credits', {
  summary: 'Adds credits to an account.',
  body: z.object({
    amount: whole(1, MOST_CREDITS).describe('a whole number of credits, 1 or more.'),
  }),
  status: 201,
  answer: entryRecord,
  async handle(call) {
    const { accounts, random } = call.context;
    return entryView(paidEntry(random, await accounts.topUp(call.param('id'), call.body.amount)));
  },
});

export const listUsage = get('listUsage', '/_emulator/accounts/:id/usage', {
  summary: 'Lists the ledger of an account, newest first.',
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
    return listOf(
      listEntries(database, id, { limit, before, q, type }).map((each) => entryView(paidEntry(random, each))),
    );
  },
});

export const showBalance = get('getBalanceHistory', '/_emulator/accounts/:id/balance', {
  summary: 'Shows how a balance moved: the start, then the balance after some entries, including the last.',
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

const sums = { charges: z.int(), refunds: z.int(), charged: z.int(), refunded: z.int(), credits: z.int() };

/** What an account was charged, by operation and model, the dearest first; `credits` is what was not given back. */
const spendingRecord = z.strictObject({
  account_id: z.string(),
  data: z.array(z.strictObject({ operation: z.string(), model: z.string().nullable(), ...sums })),
  total: z.strictObject(sums),
});

export type SpendingRecord = z.infer<typeof spendingRecord>;

export const summarizeSpending = get('summarizeUsage', '/_emulator/accounts/:id/usage/summary', {
  summary: 'Sums up what an account was charged, by operation and model, highest first.',
  query: z.object({
    since: optional(z.iso.datetime({ offset: true })).describe('an ISO 8601 time; only charges made then or later.'),
  }),
  answer: spendingRecord,
  async handle(call) {
    const { id } = requireAccount(call.context, call.param('id'));
    const since = call.query.since === undefined ? 0 : Date.parse(call.query.since);
    const rows = await summarizeUsage(call.context.database, id, since);
    const data = rows.map((row) => ({ ...row, credits: row.charged - row.refunded }));
    return { account_id: id, data, total: sumOf(data) };
  },
});

/** How many accounts are named, the dearest first. */
const MOST_ACCOUNTS = 200;

/** What all accounts were charged: by account, by operation and model, by day of the emulator's clock. */
const allSpending = z.strictObject({
  accounts: z.array(z.strictObject({ account_id: z.string(), name: z.string().nullable(), ...sums })),
  models: z.array(z.strictObject({ operation: z.string(), model: z.string().nullable(), ...sums })),
  days: z.array(z.strictObject({ day: z.string(), ...sums })),
  total: z.strictObject({ accounts: z.int(), ...sums }),
});

/** As the page reads it. @public */
export type AllSpendingRecord = z.infer<typeof allSpending>;

export const summarizeAll = get('summarizeSpending', '/_emulator/spending', {
  summary: 'Sums up what all accounts were charged: by account and model, highest first, and by day.',
  query: accountQuery.extend({
    since: optional(z.iso.datetime({ offset: true })).describe('an ISO 8601 time; charges of its day and later.'),
  }),
  answer: allSpending,
  async handle({ context: { database }, query }) {
    const since = query.since === undefined ? 0 : Date.parse(query.since);
    const { total, accounts, models, days } = await spendingOf(database, since, query.account_id);
    return {
      total: { accounts: accounts.length, ...total },
      accounts: accounts.slice(0, MOST_ACCOUNTS).map(({ accountId, ...spent }) => {
        return { account_id: accountId, name: findAccount(database, accountId)?.name ?? null, ...spent };
      }),
      models,
      days: days.map(({ day, ...spent }) => ({ day: isoTime(beginOfDay(day)).slice(0, 10), ...spent })),
    };
  },
});

export const LEDGER_OPERATIONS = [
  topUpCredits,
  listUsage,
  showBalance,
  summarizeSpending,
  summarizeAll,
] as const satisfies readonly Operation[];
