import { expect } from 'vitest';
import type { Receiver } from '../support/receiver.ts';
import { CHAT, fileForm } from '../support/wire.ts';
import type { Answer, LedgerEntry, TestAccount, World } from '../support/world.ts';

/** Every event that a render ends with. */
export const EVENTS = ['image', 'video', 'music'].flatMap((kind) => [
  `${kind}.generation.succeeded`,
  `${kind}.generation.failed`,
]);
/** Engine M at its shortest and smallest. */
const CLIP = { seconds: 4, resolution: '480p', prompt: 'a red boat' };
const SONG = { style: 'slow piano', instrumental: true, seconds: 30 };

export interface Order {
  path: string;
  body: unknown;
}

/** What is asked over and over while the emulator lives; `n` makes some renders new and lets some fail. */
export function orders(engine: string): ((n: number) => Order)[] {
  const failing = (n: number) => (n % 4 === 3 ? ' [[fail]]' : '');
  return [
    () => ({ path: '/chat/completions', body: { ...CHAT, stream: false } }),
    (n) => ({ path: '/chat/completions', body: { ...CHAT, context: failing(n) } }),
    (n) => ({
      path: '/images/generations',
      body: { prompt: `pier ${n % 4}${failing(n)}`, store: n % 2 === 0 },
    }),
    (n) => ({
      path: '/audio/speech',
      body: { input: `Hello ${n % 5}${failing(n)}`, voice: 'aria' },
    }),
    (n) => ({
      path: '/music/generations',
      body: { ...SONG, seed: n % 2, style: `piano${n % 4 === 3 ? '[[fail:take=2]]' : ''}` },
    }),
    (n) => ({
      path: '/videos/generations',
      body: { ...CLIP, model: engine, seed: n % 2, prompt: `${CLIP.prompt}${failing(n)}` },
    }),
    () => ({ path: '/storage/objects', body: fileForm() }),
  ];
}

/** The cheapest engine to render with. */
export async function engineM(here: World): Promise<string> {
  const engines = (await here.control('GET', '/engines')).body.data;
  return engines.find(({ label }: { label: string }) => label === 'M').id;
}

/** A stream of whole numbers that is the same for the same seed. */
export function* numbers(seed: number): Generator<number> {
  for (let state = seed * 2_654_435_761; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state >>> 8;
  }
}

/** What was answered stands: money, jobs, objects. */
export async function expectAllKept(account: TestAccount, answers: Answer[]): Promise<void> {
  expect(await account.world.invariants()).toMatchObject({ ok: true });
  const entries = await account.entries();
  const jobs = (await account.world.control('GET', `/jobs?account_id=${account.id}`)).body.data;
  const objects = (await account.get('/storage/objects')).body.data;
  for (const answer of answers) expectInLedger(answer, entries);
  expectJobsFinal(jobs, entries);
  for (const id of answers.flatMap(acceptedJobs)) {
    expect(jobs.map((job: { id: string }) => job.id)).toContain(id);
  }
  const uploads = entries.filter(({ type, operation }) => type === 'charge' && operation === 'storage.object');
  const stored = jobs.filter((job: { store?: boolean; status: string }) => job.store && job.status === 'succeeded');
  expect(objects).toHaveLength(uploads.length + stored.length);
  expect(await account.balance()).toBe(entries.reduce((sum, { amount }) => sum + amount, 0));
}

function acceptedJobs({ status, body }: Answer): string[] {
  if (status !== 202) return [];
  return body.data ? body.data.map(({ id }: { id: string }) => id) : [body.id];
}

/** What was said to be paid stands in the ledger: an entry with the balance that the answer told. */
function expectInLedger({ status, body, headers }: Answer, entries: LedgerEntry[]): void {
  expect([200, 202, 502]).toContain(status);
  if (status === 502) return;
  const left = body?.usage.credits_remaining ?? Number(headers.get('svc-emulator-credits-remaining'));
  const spent = body?.usage.credits_spent ?? Number(headers.get('svc-emulator-credits-spent'));
  const takes = body?.data?.length && status === 202 ? body.data.length : 1;
  const paid = entries.filter(
    ({ type, balance, amount }) => type === 'charge' && balance === left && amount * takes === -spent,
  );
  expect(paid, `a charge of ${spent} that left ${left}`).not.toEqual([]);
}

/** Nobody paid without a result or a refund, and nobody got both. */
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

/** A delivery is attempted once, also across a kill. */
export function expectToldOnce(receiver: Receiver): void {
  const ids = receiver.requests.map(({ body }) => JSON.parse(body).id);
  expect(new Set(ids).size).toBe(ids.length);
}
