import { randomUUID } from 'node:crypto';
import { afterAll } from 'vitest';
import { startEmulator } from '../../../../src/emulator.ts';
import { verifySignature } from '../../../../src/engine/webhooks/signature.ts';
import { Receiver } from '../../../support/receiver.ts';
import { exactRenders } from '../../../support/shared-renders.ts';
import { ephemeral, type TestAccount, World } from '../../../support/world.ts';

/** What a story has seen, by name: each answer, event and ledger. */
export type Seen = Record<string, unknown>;

/** An account of a story, which notes all that it sees. */
export class Teller {
  readonly account: TestAccount;
  readonly world: World;
  readonly receiver: Receiver;
  readonly seen: Seen = {};
  /** How many events are to come, where a change adds some. */
  silent: number | undefined;
  /** The story is told under the change. */
  isChanged = false;
  #secret = '';

  constructor(account: TestAccount, receiver: Receiver) {
    this.account = account;
    this.world = account.world;
    this.receiver = receiver;
  }

  /** A request of the account; what it is answered is noted under a name. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are read field by field
  async call(name: string, method: string, path: string, body?: unknown): Promise<any> {
    const url = path.startsWith('http') ? path : `${this.world.url}${path}`;
    const isForm = body instanceof FormData;
    const response = await fetch(url, {
      method,
      headers: { ...this.account.headers, ...(body && !isForm ? { 'content-type': 'application/json' } : {}) },
      body: isForm ? body : body === undefined ? null : JSON.stringify(body),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const headers = Object.fromEntries([...response.headers].filter(([header]) => !UNEQUAL.includes(header)));
    const type = response.headers.get('content-type') ?? '';
    const told = type.startsWith('application/json') ? JSON.parse(bytes.toString()) : textOf(type, bytes);
    this.seen[name] = { status: response.status, headers, body: told };
    return { status: response.status, headers, body: told, bytes };
  }

  /** An endpoint of its own; `come` notes what it was sent. */
  async listen(events: string[]): Promise<void> {
    const url = `${this.receiver.origin}/${this.account.id}`;
    const { body } = await this.call('endpoint', 'POST', '/v1/webhooks', { url, events });
    this.#secret = body.secret;
  }

  async come(count: number): Promise<void> {
    await this.account.idle();
    const mine = this.receiver.requests.filter(({ path }) => path === `/${this.account.id}`);
    if (mine.length !== count) throw new Error(`${mine.length} deliveries came, not ${count}`);
    const sorted = mine.toSorted((a, b) => (a.body < b.body ? -1 : 1));
    this.seen.events = sorted.map(({ headers, body }) => ({
      signed: headers['svc-signature'] !== undefined,
      proof: this.#isProven(body, headers['svc-signature']),
      body: JSON.parse(body),
    }));
  }

  #isProven(payload: string, header: string | string[] | undefined): boolean {
    try {
      verifySignature({ payload, header, secret: this.#secret });
      return true;
    } catch {
      return false;
    }
  }

  async books(): Promise<void> {
    this.seen.ledger = await this.account.ledger();
  }
}

/** What differs between two equal requests. */
const UNEQUAL = ['date', 'x-request-id', 'connection', 'keep-alive', 'content-length', 'etag'];

function textOf(type: string, bytes: Buffer): unknown {
  return type.startsWith('text/') ? bytes.toString() : { bytes: bytes.length, start: bytes.toString('hex', 0, 8) };
}

export interface Told {
  /** The paths at which the story under the change differs from the one on the original. */
  differs: string[];
  /** What was seen under the change. */
  seen: Seen;
  /** The same for a neighbour under the same emulator. */
  neighbour: string[];
  account: TestAccount;
}

/** Two emulators of one seed, whose requests are the same: one keeps the contract, and one changes responses for one account. */
export class TwoWorlds {
  readonly #original: World;
  readonly #changed: World;

  private constructor(original: World, changed: World) {
    this.#original = original;
    this.#changed = changed;
  }

  static async start(): Promise<TwoWorlds> {
    const worlds = await Promise.all(
      [0, 1].map(async () => {
        const emulator = await startEmulator(ephemeral({ seed: 7 }), { renders: exactRenders });
        afterAll(() => emulator.close());
        const world = new World(emulator);
        await world.control('PUT', '/clock', { now: '2030-01-01T00:00:00Z', frozen: true });
        return world;
      }),
    );
    const [original, changed] = worlds as [World, World];
    return new TwoWorlds(original, changed);
  }

  get changed(): World {
    return this.#changed;
  }

  /** Runs a story on the original and under a change, and for a neighbour of each. */
  async tell(effect: object, story: (teller: Teller) => Promise<void>, match: object = {}): Promise<Told> {
    const name = randomUUID();
    const runs = await Promise.all(
      [this.#original, this.#changed].map(async (world) => {
        const account = await world.account({ name, credits: 500 });
        const other = await world.account({ name: 'Neighbour', credits: 700 });
        const receiver = await Receiver.start();
        afterAll(() => receiver.close());
        let rule: string | undefined;
        if (world === this.#changed) {
          const { status, body } = await world.control('POST', '/faults', {
            match: { ...match, account_id: account.id },
            effect,
            times: 0,
          });
          if (status !== 201) throw new Error(JSON.stringify(body));
          rule = body.id;
        }
        const told = new Teller(account, receiver);
        told.isChanged = rule !== undefined;
        await story(told);
        const neighbour = new Teller(other, receiver);
        await story(neighbour);
        if (rule) await world.control('DELETE', `/faults/${rule}`);
        return { told, neighbour, account };
      }),
    );
    const [original, changed] = runs as [(typeof runs)[0], (typeof runs)[0]];
    return {
      differs: differences(plain(original.told), plain(changed.told)),
      neighbour: differences(plain(original.neighbour), plain(changed.neighbour)),
      seen: changed.told.seen,
      account: changed.account,
    };
  }
}

/** What was seen, without the ports. */
function plain({ seen, world, receiver }: Teller): unknown {
  const text = JSON.stringify(seen).replaceAll(world.url, 'URL').replaceAll(receiver.origin, 'RECEIVER');
  return JSON.parse(text);
}

function differences(original: unknown, changed: unknown, at = ''): string[] {
  if (typeof original !== 'object' || typeof changed !== 'object' || original === null || changed === null) {
    return original === changed ? [] : [at];
  }
  if (Array.isArray(original) !== Array.isArray(changed)) return [at];
  const names = [...new Set([...Object.keys(original), ...Object.keys(changed)])];
  return names.flatMap((name) =>
    differences(Reflect.get(original, name), Reflect.get(changed, name), at ? `${at}.${name}` : name),
  );
}
