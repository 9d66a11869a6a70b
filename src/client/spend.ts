import { countWithNoun } from '../base/text.ts';
import type { LedgerEntry } from './client-records.ts';
import type { AccountClient } from './emulator-client.ts';

export interface Spend {
  credits: number;
  refunds: number;
  entries: LedgerEntry[];
}

const SETTLE_SECONDS = 60;

/**
 * Runs `work` and returns its cost, as soon as the account is idle. Other work on the same account counts too, so give
 * each test its own. Rejects with `timeout` if the account is not idle within a minute.
 */
export async function measureSpend(account: AccountClient, work: () => unknown): Promise<Spend> {
  const before = new Set((await account.ledger()).map(({ id }) => id));
  await work();
  await account.waitFor.idle({ timeout: SETTLE_SECONDS });
  return spendOf((await account.ledger()).filter(({ id }) => !before.has(id)));
}

/** Returns what the account has spent since it was created. */
export async function totalSpend(account: AccountClient): Promise<Spend> {
  return spendOf(await account.ledger());
}

function spendOf(entries: LedgerEntry[]): Spend {
  const paid = entries.filter(({ type }) => type === 'charge' || type === 'refund');
  return {
    credits: -paid.reduce((sum, { amount }) => sum + amount, 0),
    refunds: paid.filter(({ type }) => type === 'refund').length,
    entries: paid,
  };
}

/** A field that is left out may have any value. */
export interface ExpectedSpend {
  credits?: number;
  refunds?: number;
}

/** Runs `work`. Rejects with an error that lists the ledger entries if the cost is not as `wanted`. */
export function expectSpend(account: AccountClient, wanted: ExpectedSpend, work: () => unknown): Promise<Spend> {
  const measured = measureSpend(account, work).then((spend) => requireAsWanted(spend, wanted));
  return account.assertions.note('expectSpend', measured);
}

export async function expectTotalSpend(account: AccountClient, wanted: ExpectedSpend): Promise<void> {
  await account.waitFor.idle({ timeout: SETTLE_SECONDS });
  requireAsWanted(await totalSpend(account), wanted);
}

function requireAsWanted(spend: Spend, wanted: ExpectedSpend): Spend {
  if (matchesExpectedSpend(spend, wanted)) return spend;
  throw new Error(spendMismatchMessage(spend, wanted));
}

const SPEND_FIELDS = ['credits', 'refunds'];

/** Throws `TypeError` with the caller's name unless `wanted` has `credits`, `refunds` or both, as whole numbers. */
export function requireValidExpectedSpend(wanted: unknown, caller: string): void {
  const fields = typeof wanted === 'object' && wanted !== null ? Object.entries(wanted) : [];
  const isRight = fields.every(([name, value]) => SPEND_FIELDS.includes(name) && Number.isInteger(value));
  if (fields.length > 0 && isRight) return;
  throw new TypeError(
    `${caller} expects {credits, refunds}, whole numbers, one of which may be omitted; got ${JSON.stringify(wanted)}.`,
  );
}

export function asExpectedSpend(given: number | ExpectedSpend): ExpectedSpend {
  const wanted = typeof given === 'number' ? { credits: given } : given;
  requireValidExpectedSpend(wanted, 'spends');
  return wanted;
}

export function matchesExpectedSpend(spend: Spend, { credits, refunds }: ExpectedSpend): boolean {
  return (credits === undefined || credits === spend.credits) && (refunds === undefined || refunds === spend.refunds);
}

export function spendMismatchMessage(spend: Spend, wanted: ExpectedSpend): string {
  const lines = spend.entries.map(lineOf).join('\n');
  return `Expected ${inWords(wanted)}, got ${inWords(spend)}:\n${lines || '  no money moved'}`;
}

function inWords({ credits, refunds }: ExpectedSpend): string {
  const parts = [
    credits === undefined ? [] : [`${countWithNoun(credits, 'credit')} spent`],
    refunds === undefined ? [] : [`${countWithNoun(refunds, 'refund')}`],
  ];
  return parts.flat().join(' and ') || 'anything';
}

function lineOf({ type, amount, balance, operation, jobId }: LedgerEntry): string {
  const job = jobId ? ` for ${jobId}` : '';
  return `  ${type} ${amount} (${operation ?? 'by hand'}${job}), balance ${balance}`;
}
