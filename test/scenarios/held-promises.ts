import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { openSqlite } from '../../src/base/database/open-sqlite.ts';
import type { Receiver } from '../support/receiver.ts';
import type { Answer, LedgerEntry, TestAccount } from '../support/world.ts';
import type { Sent } from './mixed-load.ts';

/** Checks what every client may expect once the emulator has settled, with or without a response. */
export async function expectPromisesHeld(
  account: TestAccount,
  sent: readonly Sent[],
  receiver: Receiver,
): Promise<void> {
  const { world: here } = account;
  await here.advance(0);
  await account.idle();
  expect(await here.invariants()).toMatchObject({ ok: true, broken: [] });
  const entries = await account.entries();
  expectPriced(entries, sent);
  const answers = sent.flatMap(({ answer }) => answer ?? []);
  for (const answer of answers) expectInLedger(answer, entries);
  const jobs = await account.jobs();
  expectJobsFinal(jobs as never, entries);
  expect(jobs.map(({ id }) => id)).toEqual(expect.arrayContaining(answers.flatMap(acceptedJobs)));
  const uploads = entries.filter(({ type, operation }) => type === 'charge' && operation === 'storage.object');
  const stored = jobs.filter(({ store, status }) => store && status === 'succeeded');
  expect((await account.get('/storage/objects')).body.data).toHaveLength(uploads.length + stored.length);
  await expectTold(
    account,
    jobs.filter(({ object }) => object !== 'audio.speech').map(({ id }) => id),
    receiver,
  );
}

/** Each request with the status 200, 202 or 502 was charged at its price, and nothing was charged that was not sent. */
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

/** The charge that a response reported is in the ledger, with the same balance. */
function expectInLedger({ status, body, headers }: Answer, entries: readonly LedgerEntry[]): void {
  const header = (name: string) => headers.get(`svc-emulator-credits-${name}`) ?? undefined;
  const left = body?.usage?.credits_remaining ?? header('remaining');
  const spent = body?.usage?.credits_spent ?? header('spent');
  if (left === undefined) return;
  const takes = (status === 202 && body?.data?.length) || 1;
  const paid = entries.filter(
    ({ type, balance, amount }) => type === 'charge' && balance === Number(left) && amount * takes === -Number(spent),
  );
  expect(paid, `a charge of ${spent} that left ${left}`).not.toEqual([]);
}

/** Every job has either a result or a refund, and none has both. */
export function expectJobsFinal(
  jobs: { id: string; status: string; library_id?: string; error?: object }[],
  entries: LedgerEntry[],
): void {
  for (const { id, status, library_id, error } of jobs) {
    const money = entries.filter(({ job_id }) => job_id === id).map(({ type }) => type);
    const failed = status === 'failed';
    expect([id, status, money]).toEqual([
      id,
      failed ? 'failed' : 'succeeded',
      failed ? ['charge', 'refund'] : ['charge'],
    ]);
    expect([id, Boolean(library_id), Boolean(error)]).toEqual([id, !failed, failed]);
  }
}

function acceptedJobs({ status, body }: Answer): string[] {
  const jobs: { id: string }[] = status === 202 ? (body.data ?? [body]) : [];
  return jobs.map(({ id }) => id).filter((id) => id.startsWith('job_'));
}

/** Each ended render has one event, each event has one delivery, and no event was received twice. */
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

/** Every file has an owner, every owner has its file, and no file is half written. */
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
