import { z } from 'zod';
import { isoTime } from '../base/clock/clock.ts';
import { findAccount } from '../engine/accounts/account-store.ts';
import { beginOfDay } from '../engine/ledger/entry-store.ts';
import { spendingOf, summarizeUsage } from '../engine/ledger/usage.ts';
import { optional } from '../service/http/input.ts';
import { operation } from '../service/http/operation.ts';
import { requireAccount } from './accounts.ts';
import { accountQuery } from './list-page.ts';

const SUMS = ['charges', 'refunds', 'charged', 'refunded', 'credits'] as const;
const sums = { charges: z.int(), refunds: z.int(), charged: z.int(), refunded: z.int(), credits: z.int() };

/** What an account was charged, by operation and model, the dearest first; `credits` is what was not given back. */
const spendingRecord = z.strictObject({
  account_id: z.string(),
  data: z.array(z.strictObject({ operation: z.string(), model: z.string().nullable(), ...sums })),
  total: z.strictObject(sums),
});

export type SpendingRecord = z.infer<typeof spendingRecord>;

export const summarizeSpending = operation({
  name: 'summarizeUsage',
  method: 'GET',
  path: '/_emulator/accounts/:id/usage/summary',
  summary: 'What an account was charged, by operation and model, the dearest first.',
  access: 'local',
  query: z.object({
    since: optional(z.iso.datetime({ offset: true })).describe('an ISO 8601 time; only charges made then or later.'),
  }),
  answer: spendingRecord,
  async handle(call) {
    const { id } = requireAccount(call.context, call.param('id'));
    const since = call.query.since === undefined ? 0 : Date.parse(call.query.since);
    const rows = await summarizeUsage(call.context.database, id, since);
    const data = rows.map((row) => ({ ...row, credits: row.charged - row.refunded }));
    const total = { charges: 0, refunds: 0, charged: 0, refunded: 0, credits: 0 };
    for (const row of data) for (const name of SUMS) total[name] += row[name];
    return { account_id: id, data, total };
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

export const summarizeAll = operation({
  name: 'summarizeSpending',
  method: 'GET',
  path: '/_emulator/spending',
  summary: 'What all accounts were charged: by account and by model, the dearest first, and by day.',
  access: 'local',
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
