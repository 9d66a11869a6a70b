import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { startEmulator } from '../../src/emulator.ts';
import { Receiver } from '../support/receiver.ts';
import { ephemeral, type TestAccount, World } from '../support/world.ts';
import { EVENTS } from './mixed-load.ts';
import { type Seen, type Step, shares, writeSteps } from './replay-script.ts';

const ACCOUNTS = 6;
const PHASES = 5;
const STEPS = 10;
/** How many requests a replay makes. */
export const REQUESTS = ACCOUNTS * PHASES * STEPS;
const NOON = '2031-06-01T12:00:00.000Z';

/** What one account did and got, so that two runs can be compared. */
export interface Trace {
  answers: string[];
  events: { type: string }[];
  received: unknown[];
  /** Its ledger, deliveries, library, jobs, faults and endpoints. */
  rest: unknown;
}

/** One account at work: takes the ids that its steps need from the answers it got. */
class Player {
  readonly seen: Seen;
  readonly answers: string[] = [];
  readonly #receiver: Receiver;

  constructor(account: TestAccount, receiver: Receiver) {
    this.seen = { account, jobs: [], urls: [], objects: [] };
    this.#receiver = receiver;
  }

  /** One after another: the order of an account's own requests is part of the script. */
  async play(steps: readonly Step[]): Promise<void> {
    for (const step of steps) this.answers.push(await this.#act(step));
  }

  async trace(): Promise<Trace> {
    const { account } = this.seen;
    const list = async (path: string) => {
      const { body } = await account.world.control('GET', `${path}?account_id=${account.id}`);
      return JSON.parse(this.#plain(JSON.stringify(body.data)));
    };
    const endpoints = this.#plain((await account.get('/webhooks')).bytes.toString());
    return {
      answers: this.answers,
      events: await list('/events'),
      // What came, but for the time of its signature.
      received: this.#receiver.requests
        .filter(({ path }) => path === `/${account.id}`)
        .map(({ headers, body }) => [
          headers['svc-emulator-event'],
          headers['svc-emulator-delivery'],
          this.#plain(body),
        ]),
      rest: {
        ledger: (await account.entries()).map(withoutRequest),
        deliveries: (await list('/deliveries')).map(withoutRealTime),
        library: await list('/library'),
        jobs: await list('/jobs'),
        faults: await list('/faults'),
        // How long the network took to deliver is its own affair: the clock may have moved on by then.
        endpoints: endpoints.replace(/"lastDeliveryAt":"[^"]+"/g, '"lastDeliveryAt":"…"'),
      },
    };
  }

  async #act({ kind, request }: Step): Promise<string> {
    const { account } = this.seen;
    const [method, path, body] = request(this.seen);
    try {
      const { status, headers, bytes } = await account.world.call(method, path, body, account.headers);
      const isText = /json|event-stream/.test(headers.get('content-type') ?? '');
      if (!isText) return `${kind} ${status} ${hash(bytes)}`;
      this.#learn(bytes.toString());
      return `${kind} ${status} ${this.#plain(bytes.toString())}`;
    } catch {
      // How much of it had been read when it was cut is the network's affair.
      return `${kind} cut`;
    }
  }

  #learn(text: string): void {
    const { jobs, urls, objects } = this.seen;
    for (const [, id] of text.matchAll(/"id":"(job_\w+)","object":"music/g)) jobs.push(`/v1/music/generations/${id}`);
    for (const [, id] of text.matchAll(/"id":"(job_\w+)","object":"video/g)) jobs.push(`/v1/videos/generations/${id}`);
    for (const [, url] of text.matchAll(/"(?:result_)?url":"(http[^"]+\/cdn\/[^"]+)"/g)) urls.push(String(url));
    for (const [, id] of text.matchAll(/"id":"(obj_\w+)"/g)) objects.push(String(id));
  }

  /** Without what says on which ports the emulator and the receiver happen to listen. */
  #plain(text: string): string {
    return text.replaceAll(this.seen.account.world.url, 'BASE').replaceAll(this.#receiver.origin, 'RECEIVER');
  }
}

/** Each process draws the ids of requests again. */
function withoutRequest(entry: object): object {
  const { request_id, ...rest } = entry as Record<string, unknown>;
  return rest;
}

function withoutRealTime(delivery: Record<string, unknown>): object {
  const { attempted_at, duration_ms, signature, ...rest } = delivery;
  return rest;
}

/** Who polls does not wait for renders: they are done when the clock says so. */
const polls = (n: number) => n % 2 === 1;

/** 300 requests: what each account does in each phase. */
const script = Array.from({ length: ACCOUNTS }, (_, n) => {
  const steps = writeSteps(1000 + n, PHASES * STEPS, polls(n));
  return Array.from({ length: PHASES }, (_, phase) => steps.slice(phase * STEPS, (phase + 1) * STEPS));
});

/** Plays the script on a fresh emulator. Between phases, when all is quiet, the clock moves and snapshots are made and restored. */
export async function replay(order: (players: Player[], phase: number) => Promise<void>): Promise<Trace[]> {
  const emulator = await startEmulator(ephemeral({ seed: 7 }));
  const receiver = await Receiver.start();
  try {
    const world = new World(emulator);
    await world.control('PUT', '/clock', { now: NOON, frozen: true });
    const players = await openPlayers(world, receiver);
    for (let phase = 0; phase < PHASES; phase += 1) {
      await order(players, phase);
      await world.advance(45);
      await world.idle();
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
    await account.post('/webhooks', { url: `${receiver.origin}/${account.id}`, events: EVENTS });
    const progression = { mode: 'seconds', value: 20, account_id: account.id };
    if (polls(n)) await world.control('PUT', '/progression', progression);
    players.push(new Player(account, receiver));
  }
  return players;
}

export async function oneAfterAnother(players: Player[], phase: number): Promise<void> {
  for (const [n, player] of players.entries()) await player.play(script[n]?.[phase] ?? []);
}

/** All accounts at once, begun in an order of the seed. */
export function sideBySide(seed: number) {
  const next = shares(seed);
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

function hash(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Hundreds of renders and deliveries, on a machine that may have other tests to run. */
export const PATIENCE = { timeout: 240_000 };
