import { z } from 'zod';
import { isoTime, unixSeconds } from '../base/clock/clock.ts';
import { makeId, parseIdNumber } from '../base/database/id-store.ts';
import { ENTRY_TYPES, findEntry, type StoredEntry } from '../base/database/ledger-store.ts';
import type { Reader } from '../base/database/reader.ts';
import { integerBetween, optional } from '../base/schemas.ts';
import { findAccount, listAccountIds } from '../engine/accounts/account-store.ts';
import type { PriceLine } from '../engine/catalogue/catalogue.ts';
import { dayNumberToMs, listEntries } from '../engine/ledger/entry-store.ts';
import { computeSpending } from '../engine/ledger/usage.ts';
import { findOrderOfEntry } from '../engine/orders/order-store.ts';
import type { Context } from '../service/http/context.ts';
import { accounts, MAX_CREDIT_AMOUNT } from './accounts.ts';
import { defineGet, definePost } from './control-operation.ts';
import {
  accountQuerySchema,
  cursorPosition,
  DEFAULT_PAGE_LIMIT,
  listSchema,
  pageQuerySchema,
  searchWordsQuerySchema,
  toListResponse,
} from './resource.ts';

/** `amount` is negative for a charge, `balance` is the balance after the entry, `created` is in unix seconds. */
const entryRecord = z.strictObject({
  id: z.string(),
  type: z.enum(ENTRY_TYPES),
  amount: z.int(),
  balance: z.int(),
  operation: z.string().nullable(),
  model: z.string().nullable(),
  job_id: z.string().nullable(),
  refund_of: z.string().nullable(),
  /**
   * Null for entries without a request, such as the charge of a step of a run that was started manually, which has
   * `run_id`.
   */
  request_id: z.string().nullable(),
  run_id: z.string().optional(),
  created: z.int(),
});

export type LedgerEntryWithIds = ReturnType<typeof toLedgerEntryWithIds> & { lines?: readonly PriceLine[] };

type EntrySource = Pick<Context, 'database' | 'random'>;

export function toLedgerEntryWithIds({ database, random }: EntrySource, entry: StoredEntry) {
  const { accountId, n, refundOf, requestId, operation } = entry;
  const isStep = requestId === null && operation !== null;
  return {
    ...entry,
    id: makeId(random, 'entry', accountId, n),
    refundOf: refundOf === null ? null : makeId(random, 'entry', accountId, refundOf),
    runId: (isStep && findOrderOfEntry(database, accountId, n)?.runId) || null,
  };
}

export function findLedgerEntryById(source: EntrySource, id: string): LedgerEntryWithIds | undefined {
  const { database, random } = source;
  for (const accountId of listAccountIds(database)) {
    const n = parseIdNumber(random, 'entry', accountId, id);
    const entry = n === undefined ? undefined : findEntry(database, accountId, n);
    if (entry) return toLedgerEntryWithIds(source, entry);
  }
  return undefined;
}

export function ledgerEntryView(entry: LedgerEntryWithIds) {
  const { id, type, amount, balance, operation, model, jobId, refundOf, requestId, runId, created } = entry;
  const refs = { job_id: jobId, refund_of: refundOf, request_id: requestId, run_id: runId ?? undefined };
  return { id, type, amount, balance, operation, model, ...refs, created: unixSeconds(created) };
}

const topUpCredits = definePost('topUpCredits', '/_emulator/accounts/:id/credits', {
  summary: 'Adds credits to an account.',
  body: z.object({
    amount: integerBetween(1, MAX_CREDIT_AMOUNT).describe('a whole number of credits from 1 to 1,000,000,000.'),
  }),
  status: 201,
  answer: entryRecord,
  async handle(call) {
    const { context } = call;
    const entry = await context.accounts.topUp(call.param('id'), call.body.amount);
    return ledgerEntryView(toLedgerEntryWithIds(context, entry));
  },
});

const usageQuery = pageQuerySchema.extend({
  ...searchWordsQuerySchema.shape,
  type: optional(z.enum(ENTRY_TYPES)).describe(`one of ${ENTRY_TYPES.join(', ')}.`),
});

const listUsage = defineGet('listUsage', '/_emulator/accounts/:id/usage', {
  summary: 'Lists the ledger of an account, newest first.',
  query: usageQuery,
  answer: listSchema(entryRecord),
  handle(call) {
    const { id } = accounts.require(call.context, call.param('id'));
    return toListResponse(readLedgerPage(call.context, id, call.query).map(ledgerEntryView));
  },
});

export function readLedgerPage(
  context: EntrySource,
  accountId: string,
  { limit = DEFAULT_PAGE_LIMIT, after, q, type }: Partial<z.output<typeof usageQuery>>,
): LedgerEntryWithIds[] {
  const { database, random } = context;
  const before = cursorPosition(after, (entry) => parseIdNumber(random, 'entry', accountId, entry));
  const entries = listEntries(database, accountId, { limit, before, q, type });
  return entries.map((each) => toLedgerEntryWithIds(context, each));
}

const sums = { charges: z.int(), refunds: z.int(), charged: z.int(), refunded: z.int(), credits: z.int() };

const MAX_ACCOUNTS = 200;

const spendingRecord = z.strictObject({
  accounts: z.array(z.strictObject({ account_id: z.string(), name: z.string().nullable(), ...sums })),
  models: z.array(z.strictObject({ operation: z.string(), model: z.string().nullable(), ...sums })),
  days: z.array(z.strictObject({ day: z.string(), ...sums })),
  total: z.strictObject({ accounts: z.int(), ...sums }),
});

const summarizeSpending = defineGet('summarizeSpending', '/_emulator/spending', {
  summary: 'Summarizes the charges of one account or of all accounts, by account, model and day.',
  query: accountQuerySchema.extend({
    since: optional(z.iso.datetime({ offset: true })).describe(
      'an ISO 8601 time; earlier charges of the account, or of all accounts on earlier days, are omitted.',
    ),
  }),
  answer: spendingRecord,
  handle({ context: { database }, query }) {
    return spendingView(database, query.account_id, query.since === undefined ? 0 : Date.parse(query.since));
  },
});

/** `since` is in unix milliseconds. Days, and all sums over all accounts, include the whole day of `since`. */
export async function spendingView(database: Reader, accountId: string | undefined, since = 0) {
  const { total, accounts, models, days } = await computeSpending(database, since, accountId);
  return {
    total: { accounts: accounts.length, ...total },
    accounts: accounts.slice(0, MAX_ACCOUNTS).map((account) => {
      const { accountId: id, ...spent } = account;
      return { account_id: id, name: findAccount(database, id)?.name ?? null, ...spent };
    }),
    models,
    days: days.map(({ day, ...spent }) => ({ day: isoTime(dayNumberToMs(day)).slice(0, 10), ...spent })),
  };
}

export const LEDGER_OPERATIONS = [topUpCredits, listUsage, summarizeSpending] as const;
