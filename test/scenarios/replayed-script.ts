import { expect } from 'vitest';
import { startEmulator } from '../../src/emulator.ts';
import { Receiver } from '../support/receiver.ts';
import { ephemeral, World } from '../support/world.ts';
import { hash, Player, type Trace } from './replay-run.ts';
import { numbers, type Step, writeSteps } from './replay-script.ts';

const ACCOUNTS = 6;
const PHASES = 5;
const STEPS = 10;
/** How many requests a replay makes. */
export const REQUESTS = ACCOUNTS * PHASES * STEPS;
const NOON = '2031-06-01T12:00:00.000Z';

/** Who polls does not wait for renders: they are done when the clock says so. */
const polls = (n: number) => n % 2 === 1;

/** 300 requests: what each account does in each phase. */
const script = Array.from({ length: ACCOUNTS }, (_, n) => phased(writeSteps(1000 + n, PHASES * STEPS, polls(n))));

function phased(steps: Step[]): Step[][] {
  return Array.from({ length: PHASES }, (_, phase) => steps.slice(phase * STEPS, (phase + 1) * STEPS));
}

/** Plays the script on a fresh emulator. Between phases, when all is quiet, the clock moves and snapshots are made and restored. */
export async function replay(order: (players: Player[], phase: number) => Promise<void>) {
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

export async function oneAfterAnother(players: Player[], phase: number): Promise<void> {
  for (const [n, player] of players.entries()) await player.play(script[n]?.[phase] ?? []);
}

/** All accounts at once, begun in an order of the seed. */
export function sideBySide(seed: number) {
  const next = numbers(seed);
  return async (players: Player[], phase: number) => {
    const order = players.map((player, n) => ({ player, n, at: next() }));
    order.sort((a, b) => a.at - b.at);
    await Promise.all(order.map(({ player, n }) => player.play(script[n]?.[phase] ?? [])));
  };
}

/** Part by part, so that a difference says where it is; then all of it at once. */
export function expectSame(again: Trace[], wanted: Trace[]): void {
  for (const [n, trace] of again.entries()) expect(trace).toEqual(wanted[n]);
  expect(hash(JSON.stringify(again))).toBe(hash(JSON.stringify(wanted)));
}

/** Hundreds of renders and deliveries, on a machine that may have other tests to run. */
export const PATIENCE = { timeout: 240_000 };
