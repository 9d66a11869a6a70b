import { expect, it } from 'vitest';
import { CRASH_POINTS, type CrashPoint } from '../../src/engine/faults/applied-fault.ts';
import { emptyFolder, startProgram } from '../cli/spawned-program.ts';
import { type Receiver, subscribe } from '../support/receiver.ts';
import { CHAT } from '../support/wire.ts';
import type { TestAccount } from '../support/world.ts';
import { expectJobsFinal, expectPromisesHeld } from './held-promises.ts';
import { EVENTS, engineM, numbers, QUICK_ORDERS, sendAll } from './mixed-load.ts';

interface Order {
  path: string;
  body: object;
}

/** What may be at the point at which the process dies; the last ones announce nothing. */
function victims(engine: string, n: number): Order[] {
  const words = `a grey whale ${n}${n % 4 === 3 ? ' [[fail]]' : ''}`;
  const clip = { model: engine, seconds: 4, resolution: '480p', prompt: words };
  return [
    { path: '/images/generations', body: { prompt: words, store: n % 2 === 0 } },
    { path: '/videos/generations', body: clip },
    { path: '/music/generations', body: { style: words, instrumental: true, seconds: 30 } },
    { path: '/audio/speech', body: { input: words, voice: 'aria' } },
    { path: '/chat/completions', body: CHAT },
  ];
}

/** So many answers come after the one at which the rule is made, if the process still lives. */
const MORE = 3;
const ANNOUNCED = 3;
const CALLS = ['/images/generations', '/audio/speech'];

const FLAGS = ['--data-dir', emptyFolder(), '--log', 'silent', '--settle-after', '0.05'];
/** One program for all points: the next life after one is that in which the next one is met. */
const { program, url, here } = await startProgram(['--supervise', ...FLAGS]);
let lives = 1;

it.each(CRASH_POINTS.map((point, at) => [point, 101 + at] as const))(
  'loses nothing when the process dies %s under load, seed %i [I204 I062 I106 I027 I136 R005 R217]',
  crashUnderLoad,
);

it('has said so once in each life, and ends well', async () => {
  expect(await program.stop()).toBe(0);
  expect(program.stdout).toBe(`svc-emulator ready on ${url}\n`.repeat(lives));
});

/** Has a crash rule end the supervised program under mixed load, and holds the next life to all that was promised. */
async function crashUnderLoad(point: CrashPoint, seed: number): Promise<void> {
  const random = numbers(seed);
  const [crowd, struck] = [await openAccount(), await openAccount()];
  const engine = await engineM(here);
  const n = random.next().value;
  const possible = victims(engine, n).slice(0, point === 'before_delivery' ? ANNOUNCED : undefined);
  const victim = possible[n % possible.length] as Order;
  const rule = { match: { account_id: struck.account.id }, effect: { crash: point } };
  const strike = async () => {
    expect((await here.control('POST', '/faults', rule)).status).toBe(201);
    await struck.account.post(victim.path, victim.body).catch(() => undefined);
  };
  const enough = 3 + (random.next().value % 5);
  let striking: Promise<void> | undefined;
  const over = (answered: number) => {
    if (answered >= enough) striking ??= strike();
    // What is answered before it is made would pile up.
    return answered >= enough + MORE;
  };
  const sent = await sendAll(crowd.account, { engine, first: random.next().value % 8, over, orders: QUICK_ORDERS });
  await striking;

  lives += 1;
  expect(await program.ready(lives)).toBe(url);
  await expectPromisesHeld(crowd.account, sent, crowd.receiver);
  await expectEnded(struck.account, { point, victim, receiver: struck.receiver });
  const { data } = (await here.control('GET', `/faults?account_id=${struck.account.id}`)).body;
  expect(data).toMatchObject([{ applied: 1 }]);
}

async function openAccount() {
  const account = await here.account({ plan: 'studio', credits: 1_000_000 });
  return { account, ...(await subscribe(account, EVENTS)) };
}

/** The request at the crash point has ended, paid for or refunded, and was told of as often as it has jobs. */
async function expectEnded(
  account: TestAccount,
  { point, victim, receiver }: { point: CrashPoint; victim: Order; receiver: Receiver },
): Promise<void> {
  const [jobs, entries] = [await account.jobs(), await account.entries()];
  const money = entries.slice(2).map(({ type }) => type);
  if (victim.path === '/chat/completions') {
    expect(jobs).toEqual([]);
    // Between its commit and its answer it stays charged [I211].
    expect(money).toEqual(point === 'after_settle' ? ['charge'] : []);
    return;
  }
  expect(jobs).toHaveLength(victim.path === '/music/generations' ? 2 : 1);
  expectJobsFinal(jobs as never, entries);
  // A call is gone with the process: unless its job was final by then it fails, and is refunded.
  const isLost = point.startsWith('after_') && point !== 'after_settle' && CALLS.includes(victim.path);
  const isFailed = isLost || JSON.stringify(victim.body).includes('[[fail]]');
  for (const { status } of jobs) expect(status).toBe(isFailed ? 'failed' : 'succeeded');
  const told = victim.path === '/audio/speech' ? [] : jobs.map(({ id }) => id);
  const requests = await receiver.received(told.length);
  const heard = requests.map(({ body }) => JSON.parse(body).data.id);
  expect(heard.toSorted()).toEqual(told.toSorted());
  const statuses = (await account.deliveries()).map(({ status }) => status);
  expect(statuses).toEqual(told.map(() => 'delivered'));
}
