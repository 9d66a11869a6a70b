import { counted } from '../base/text.ts';
import type { LedgerEntry } from './client-records.ts';
import type { AccountClient } from './emulator-client.ts';

/** What work cost an account: credits net of refunds, how much of them was given back, and the movements themselves. */
export interface Spend {
  /** Charges less refunds. */
  credits: number;
  /** How many charges were given back. */
  refunds: number;
  entries: LedgerEntry[];
}

/** How long renders that `work` has started may take to be settled or given back, in seconds. */
const SETTLE_SECONDS = 60;

/**
 * Runs `work` and answers what it cost the account, once what it has started is settled or refunded. Work of others on the
 * same account counts too: give each test its own. Throws `timeout` when a render takes longer than a minute.
 */
export async function measureSpend(account: AccountClient, work: () => unknown): Promise<Spend> {
  const before = new Set((await account.movements()).map(({ id }) => id));
  await work();
  await account.waitFor.idle({ timeout: SETTLE_SECONDS });
  return spendOf((await account.movements()).filter(({ id }) => !before.has(id)));
}

/** What an account has spent since it was opened. */
export async function totalSpend(account: AccountClient): Promise<Spend> {
  return spendOf(await account.movements());
}

function spendOf(entries: LedgerEntry[]): Spend {
  const paid = entries.filter(({ type }) => type === 'charge' || type === 'refund');
  return {
    credits: -paid.reduce((sum, { amount }) => sum + amount, 0),
    refunds: paid.filter(({ type }) => type === 'refund').length,
    entries: paid,
  };
}

/** What is wanted of a spend; what is left out may be anything. */
export interface WantedSpend {
  credits?: number;
  refunds?: number;
}

/** Throws, with every movement of money, when the work cost something else. */
export function expectSpend(account: AccountClient, wanted: WantedSpend, work: () => unknown): Promise<Spend> {
  const measured = measureSpend(account, work).then((spend) => requireAsWanted(spend, wanted));
  return account.assertions.note('expectSpend', measured);
}

/** Throws likewise when an account, once it is idle, has spent something else since it was opened. */
export async function expectTotalSpend(account: AccountClient, wanted: WantedSpend): Promise<void> {
  await account.waitFor.idle({ timeout: SETTLE_SECONDS });
  requireAsWanted(await totalSpend(account), wanted);
}

function requireAsWanted(spend: Spend, wanted: WantedSpend): Spend {
  if (isAsWanted(spend, wanted)) return spend;
  throw new Error(complaint(spend, wanted));
}

const SPEND_FIELDS = ['credits', 'refunds'];

/** Throws a `TypeError` that names the caller unless `wanted` has whole numbers of these fields, and no others. */
export function requireSpend(wanted: unknown, caller: string): void {
  const fields = typeof wanted === 'object' && wanted !== null ? Object.entries(wanted) : [];
  const isRight = fields.every(([name, value]) => SPEND_FIELDS.includes(name) && Number.isInteger(value));
  if (fields.length > 0 && isRight) return;
  throw new TypeError(
    `${caller} expects {credits, refunds}, whole numbers of which one may be left out; got ${JSON.stringify(wanted)}.`,
  );
}

/** As `spends` takes it: credits alone, or with the refunds. Throws a `TypeError` for anything else. */
export function wantedSpend(given: number | WantedSpend): WantedSpend {
  const wanted = typeof given === 'number' ? { credits: given } : given;
  requireSpend(wanted, 'spends');
  return wanted;
}

export function isAsWanted(spend: Spend, { credits, refunds }: WantedSpend): boolean {
  return (credits === undefined || credits === spend.credits) && (refunds === undefined || refunds === spend.refunds);
}

/** What was wanted, what was met, and the ledger that shows it. */
export function complaint(spend: Spend, wanted: WantedSpend): string {
  const lines = spend.entries.map(lineOf).join('\n');
  return `Expected ${inWords(wanted)}, got ${inWords(spend)}:\n${lines || '  no money moved'}`;
}

function inWords({ credits, refunds }: WantedSpend): string {
  const parts = [
    credits === undefined ? [] : [`${counted(credits, 'credit')} spent`],
    refunds === undefined ? [] : [`${counted(refunds, 'refund')}`],
  ];
  return parts.flat().join(' and ') || 'anything';
}

function lineOf({ type, amount, balance, operation, jobId }: LedgerEntry): string {
  const job = jobId ? ` for ${jobId}` : '';
  return `  ${type} ${amount} (${operation ?? 'by hand'}${job}), balance ${balance}`;
}
