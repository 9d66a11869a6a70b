import { afterAll, expect, it } from 'vitest';
import { startEmulator } from '../../src/emulator.ts';
import { Receiver } from '../support/receiver.ts';
import { ephemeral, World } from '../support/world.ts';
import { hash, Player, type Trace } from './replay-run.ts';
import { numbers, type Step, writeSteps } from './replay-script.ts';

const ACCOUNTS = 6;
const PHASES = 5;
const STEPS = 10;
const NOON = '2031-06-01T12:00:00.000Z';

/** Who polls does not wait for renders: they are done when the clock says so. */
const polls = (n: number) => n % 2 === 1;

/** 300 requests: what each account does in each phase. */
const script = Array.from({ length: ACCOUNTS }, (_, n) => phased(writeSteps(1000 + n, PHASES * STEPS, polls(n))));

function phased(steps: Step[]): Step[][] {
  return Array.from({ length: PHASES }, (_, phase) => steps.slice(phase * STEPS, (phase + 1) * STEPS));
}

/** Plays the script on a fresh emulator. Between phases, when all is quiet, the clock moves and snapshots are made and restored. */
async function replay(order: (players: Player[], phase: number) => Promise<void>) {
  const emulator = await startEmulator(ephemeral({ seed: 7 }));
  const receiver = await Receiver.start();
  try {
    const world = new World(emulator);
    await world.control('PUT', '/clock', { now: NOON, frozen: true });
    const players = await openPlayers(world, receiver);
    for (let phase = 0; phase < PHASES; phase += 1) {
      await order(players, phase);
      await world.advance(45);
      await world.control('GET', '/wait?for=idle&timeout=30');
      if (phase === 1) await world.control('POST', '/snapshots', { name: 'midway' });
      if (phase === 2) await world.control('POST', '/snapshots/midway/restore');
    }
    expect(await world.invariants()).toMatchObject({ ok: true });
    const traces: Trace[] = [];
    for (const player of players) traces.push(await player.trace());
    return traces;
  } finally {
    await emulator.close();
    await receiver.close();
  }
}

/** The accounts are made in a fixed order; each hears of its own events. */
async function openPlayers(world: World, receiver: Receiver): Promise<Player[]> {
  const players: Player[] = [];
  for (let n = 0; n < ACCOUNTS; n += 1) {
    const account = await world.account({ plan: 'studio', credits: 5000 });
    const events = ['image', 'video', 'music'].flatMap((kind) =>
      ['succeeded', 'failed'].map((end) => `${kind}.generation.${end}`),
    );
    await account.post('/webhooks', { url: `${receiver.origin}/${account.id}`, events });
    if (polls(n)) {
      const progression = { mode: 'seconds', value: 20, account_id: account.id };
      await world.control('PUT', '/progression', progression);
    }
    players.push(new Player(world, account, receiver));
  }
  return players;
}

async function oneAfterAnother(players: Player[], phase: number): Promise<void> {
  for (const [n, player] of players.entries()) await player.play(script[n]?.[phase] ?? []);
}

/** All accounts at once, begun in an order of the seed. */
function sideBySide(seed: number) {
  const next = numbers(seed);
  return async (players: Player[], phase: number) => {
    const order = players.map((player, n) => ({ player, n, at: next() }));
    order.sort((a, b) => a.at - b.at);
    await Promise.all(order.map(({ player, n }) => player.play(script[n]?.[phase] ?? [])));
  };
}

/** Hundreds of renders and deliveries, on a machine that may have other tests to run. */
const PATIENCE = { timeout: 240_000 };

const first = replay(oneAfterAnother);
afterAll(() => first.catch(() => undefined));

it('does something of every kind: the replay below proves nothing otherwise', PATIENCE, async () => {
  const traces = await first;
  const kinds = traces.flatMap(({ answers }) => answers.map((answer) => answer.slice(0, 12)));
  const statuses = new Set(kinds.map((kind) => /\d{3}|cut/.exec(kind)?.[0]));
  expect(kinds).toHaveLength(ACCOUNTS * PHASES * STEPS);
  expect([...statuses].toSorted()).toEqual(
    expect.arrayContaining(['200', '201', '202', '400', '404', '429', '502', '503']),
  );
  const events = traces.flatMap((trace) => trace.events as { type: string }[]);
  expect(new Set(events.map(({ type }) => type)).size).toBe(6);
  expect(traces.flatMap(({ received }) => received).length).toBeGreaterThan(20);
});

it.each([
  ['one after another', oneAfterAnother],
  ['side by side', sideBySide(1)],
  ['side by side in another order', sideBySide(2)],
])('gives the same answers, ids, ledger, events and bytes again, %s', PATIENCE, async (_, order) => {
  const wanted = await first;
  const again = await replay(order);
  // Part by part, so that a difference says where it is; then all of it at once.
  for (const [n, trace] of again.entries()) expect(trace).toEqual(wanted[n]);
  expect(hash(JSON.stringify(again))).toBe(hash(JSON.stringify(wanted)));
});
