import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { openSqlite } from '../../src/base/database/open-sqlite.ts';
import { expectJobsFinal } from '../scenarios/mixed-load.ts';
import type { Receiver } from '../support/receiver.ts';
import type { LedgerEntry, TestAccount } from '../support/world.ts';
import type { Sent } from './priced-load.ts';

/** What everybody who was answered, and everybody who was not, may hold an emulator to, once it has settled. */
export async function expectPromisesHeld(
  account: TestAccount,
  sent: readonly Sent[],
  receiver: Receiver,
): Promise<void> {
  const { world: here } = account;
  await here.advance(0);
  await here.wait('idle', { account_id: account.id, timeout: 60 });
  expect(await here.invariants()).toMatchObject({ ok: true, broken: [] });
  const entries = await account.entries();
  expectPriced(entries, sent);
  const jobs = await account.jobs();
  expectJobsFinal(jobs as never, entries);
  await expectTold(
    account,
    jobs.filter(({ object }) => object !== 'audio.speech').map(({ id }) => id),
    receiver,
  );
}

/** The ledger against the price list: what was answered was charged, and nothing that was not sent. */
function expectPriced(entries: readonly LedgerEntry[], sent: readonly Sent[]): void {
  const charged = tally(
    entries.filter(({ type }) => type === 'charge').map(({ operation, amount }) => `${operation} ${-amount}`),
  );
  const named = (list: readonly Sent[]) => tally(list.flatMap(({ charges }) => charges.map((each) => each.join(' '))));
  const least = named(sent.filter(({ answer }) => answer && [200, 202, 502].includes(answer.status)));
  const most = named(sent);
  for (const kind of new Set([...charged.keys(), ...least.keys()])) {
    const count = charged.get(kind) ?? 0;
    expect(count, `charges of ${kind}`).toBeGreaterThanOrEqual(least.get(kind) ?? 0);
    expect(count, `charges of ${kind}`).toBeLessThanOrEqual(most.get(kind) ?? 0);
  }
  const sum = entries.reduce((total, { amount }) => total + amount, 0);
  expect(entries.at(-1)?.balance).toBe(sum);
}

/** One event for each render that ended, one delivery for each event, and nobody told twice. */
async function expectTold(account: TestAccount, jobs: readonly string[], receiver: Receiver): Promise<void> {
  const events = await account.envelopes();
  const told = events.map(({ data }) => data.id).filter((id) => jobs.includes(id));
  expect(told.toSorted()).toEqual(jobs.toSorted());
  const deliveries = await account.deliveries();
  const onRecord = deliveries.map(({ event_id }) => event_id);
  expect(onRecord.toSorted()).toEqual(events.map(({ id }) => id).toSorted());
  const heard = receiver.requests.map(({ body }) => JSON.parse(body).id);
  expect(new Set(heard).size).toBe(heard.length);
  for (const { status, event_id } of deliveries) {
    expect(['delivered', 'failed']).toContain(status);
    if (status === 'delivered') expect(heard).toContain(event_id);
  }
}

/** No file without an owner, no owner without a file, nothing half written. */
export function expectFilesOwned(folder: string): void {
  const db = openSqlite(path.join(folder, 'emulator.db'), { readonly: true });
  const column = (sql: string) => (db.prepare(sql).all() as { name: string }[]).map(({ name }) => name).toSorted();
  const known = column('SELECT name FROM files');
  expect(readdirSync(path.join(folder, 'files')).toSorted()).toEqual(known);
  expect(readdirSync(path.join(folder, 'tmp'))).toEqual([]);
  const owned = 'SELECT file AS name FROM objects UNION SELECT file FROM library UNION SELECT file FROM pictures';
  expect(column(owned).filter((name) => !known.includes(name))).toEqual([]);
  expect(column(`SELECT name FROM files WHERE origin = 'upload' AND name NOT IN (${owned})`)).toEqual([]);
  db.close();
}

function tally(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
