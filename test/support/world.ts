import { beforeEach, expect } from 'vitest';
import { type ConfigOptions, readConfig } from '../../src/base/config/config.ts';
import { type Emulator, type StartEmulatorOverrides, startEmulator } from '../../src/emulator.ts';
import { requireRecord } from './answer-records.ts';
import { atEnd } from './at-end.ts';
import { LiveListener } from './live-listener.ts';
import { lookUntil } from './look-until.ts';
import { exactRenders, sharedRenders } from './shared-renders.ts';

/** A response. `body` is the parsed JSON, or undefined if it is not JSON; `bytes` is always set. */
export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: answers are asserted field by field
  body: any;
  bytes: Buffer;
}

/**
 * Starts an ephemeral emulator, which is closed at the end of the test, or of the file if it is started outside a test. Its
 * renders are shared and have fixed texts and a fixed seed. Use `EXACT_RENDERS` to test the content of files, and
 * `OWN_RENDERS` to test rendering.
 */
export async function world(
  options: ConfigOptions = {},
  host: StartEmulatorOverrides = SHARED_RENDERS,
): Promise<World> {
  const emulator = await startEmulator(ephemeral(options), options.ffmpeg ? OWN_RENDERS : host);
  const here = new World(emulator);
  atEnd(() => here.close());
  return here;
}

/** One emulator for a test file, reset before each test, so that a browser keeps cached scripts. Snapshots are kept. */
export async function worldForEach(): Promise<World> {
  const one = await world();
  beforeEach(async () => {
    expect((await one.control('POST', '/reset')).status).toBe(204);
  });
  return one;
}

/** The key of the account that an emulator starts with. */
export const FIRST_KEY = 'svc_sk_local_emulator';

/** Fails the test run if a hook after a commit fails, because no response shows that. */
const bugs = {
  info: () => undefined,
  error({ error }: Record<string, unknown>, message: string) {
    if (!(error instanceof Error) || !message.endsWith('failed by a bug')) return;
    setImmediate(() => {
      throw new Error(`${message}: ${error.stack}`);
    });
  },
};

/** Each file has the ordered kind, size and length, but other content. */
export const SHARED_RENDERS: StartEmulatorOverrides = { renders: sharedRenders, log: bugs };

/** Each file shows what was ordered. */
export const EXACT_RENDERS: StartEmulatorOverrides = { renders: exactRenders, log: bugs };

/** The emulator renders in its own threads and shares no renders, for tests of rendering and of its interruption. */
export const OWN_RENDERS: StartEmulatorOverrides = { log: bugs };

/** Jobs that nothing reads settle soon, because each test of a song would wait for the usual second. */
export function ephemeral(options: ConfigOptions = {}) {
  return readConfig({ port: 0, ephemeral: true, log: 'silent', warm: false, settleAfter: 0.05, ...options }, {});
}

/** An emulator under test, in this process or in one of its own. */
export class World {
  readonly emulator: Pick<Emulator, 'url'> & Partial<Pick<Emulator, 'controlToken' | 'close'>>;

  #closing: Promise<void> | undefined;

  constructor(emulator: World['emulator']) {
    this.emulator = emulator;
  }

  get url(): string {
    return this.emulator.url;
  }

  /** Stops an emulator of this process early, so that another one can start on its folder. */
  close(): Promise<void> {
    this.#closing ??= this.emulator.close?.() ?? Promise.resolve();
    return this.#closing;
  }

  /** Calls any path of the emulator; an object as body is sent as JSON. */
  call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const url = path.startsWith('http') ? path : this.url + path;
    return request(url, { method, headers: { ...headers, ...typed(body) }, body: written(body) });
  }

  control(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.call(method, `/_emulator${path}`, body);
  }

  /** A new account, which no other test uses. */
  async account(order: AccountSettings = {}): Promise<TestAccount> {
    const { body } = await this.control('POST', '/accounts', order);
    return new TestAccount(this, body);
  }

  /** The account that an emulator starts with. */
  async first(): Promise<TestAccount> {
    const { body } = await this.control('GET', '/accounts');
    return new TestAccount(this, { ...body.data.at(-1), api_key: FIRST_KEY });
  }

  async advance(seconds: number): Promise<void> {
    await this.control('POST', '/clock/advance', { seconds });
  }

  /** Waits for a condition of `/_emulator/wait`, such as `job:ID`. `more` contains its other parameters. */
  wait(what: string, more: Record<string, string | number> = {}): Promise<Answer> {
    const query = Object.entries({ for: what, ...more }).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    return this.control('GET', `/wait?${query.join('&')}`);
  }

  /** Waits until nothing is queued, rendered, run or delivered. */
  async idle(more: Record<string, string> = {}): Promise<void> {
    const { status, body } = await this.wait('idle', { timeout: 120, ...more });
    if (status !== 200) throw new Error(`it is never idle: ${JSON.stringify(body)}`);
  }

  /**
   * Waits until `isSo` is true, which is checked now and after each message of the live feed. The feed reports completed
   * requests, holds, and new or final jobs, runs, events, deliveries and messages.
   */
  async until(isSo: () => Promise<boolean>): Promise<void> {
    const feed = await LiveListener.join(this);
    while (!(await isSo())) await feed.message();
    feed.leave();
  }

  /** The messages that a hold holds, once there are any. */
  async held(holdId: string): Promise<Entry[]> {
    const held = async () =>
      (await this.control('GET', '/holds')).body.data.find(({ id }: Entry) => id === holdId).held;
    await this.until(async () => (await held()).length > 0);
    return held();
  }

  async invariants(): Promise<{ ok: boolean; checks: unknown[] }> {
    return (await this.control('GET', '/invariants')).body;
  }
}

export interface AccountSettings {
  name?: string;
  plan?: string;
  credits?: number;
  workspace_id?: string;
  role?: string;
  test?: { name: string; file?: string; retry?: boolean };
}

export class TestAccount {
  readonly world: World;
  readonly id: string;
  readonly workspaceId: string;
  readonly key: string;

  constructor(owner: World, opened: { id: string; workspace_id: string; api_key: string }) {
    this.world = owner;
    this.id = opened.id;
    this.workspaceId = opened.workspace_id;
    this.key = opened.api_key;
  }

  /** The same account in another emulator, such as one that has been started again on its folder. */
  in(world: World): TestAccount {
    return new TestAccount(world, { id: this.id, workspace_id: this.workspaceId, api_key: this.key });
  }

  get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.key}` };
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.world.call('POST', `/v1${path}`, body, { ...this.headers, ...headers });
  }

  get(path: string): Promise<Answer> {
    return this.world.call('GET', path.startsWith('http') ? path : `/v1${path}`, undefined, this.headers);
  }

  delete(path: string): Promise<Answer> {
    return this.world.call('DELETE', `/v1${path}`, undefined, this.headers);
  }

  async balance(): Promise<number> {
    return (await this.get('/account')).body.credits;
  }

  /** The ledger entries, oldest first, such as `charge -3` and `refund 3`. */
  async ledger(): Promise<string[]> {
    const entries = await this.entries();
    return entries.map(({ type, amount }) => `${type} ${amount}`);
  }

  /** Waits for this many ledger entries, such as the grant and the charge of an open call. */
  charged(entries = 2): Promise<void> {
    return lookUntil(async () => (await this.entries()).length >= entries);
  }

  /** Waits for this many jobs of calls that are still open. */
  ordered(jobs = 1): Promise<void> {
    return lookUntil(async () => (await this.jobs()).length >= jobs);
  }

  /** Waits until all deliveries of the account have succeeded. */
  delivered(): Promise<void> {
    return this.world.until(async () => (await this.deliveries()).every(({ status }) => status === 'delivered'));
  }

  /** Waits until nothing of the account is queued, rendered, run or delivered. */
  async idle(): Promise<void> {
    await this.world.idle({ account_id: this.id });
  }

  entries(): Promise<LedgerEntry[]> {
    return this.#all(`/accounts/${this.id}/usage?`);
  }

  /** Types of the recorded events, oldest first. */
  async events(): Promise<string[]> {
    return (await this.#recorded()).map(({ type }) => type);
  }

  /** The recorded events as they are sent, oldest first. */
  async envelopes(): Promise<Envelope[]> {
    return (await this.#recorded()).map(({ envelope }) => envelope);
  }

  /** Library entries, oldest first. */
  library(): Promise<Entry[]> {
    return this.#all(`/library?account_id=${this.id}&`);
  }

  /** Jobs of every medium, oldest first. Reading this list settles none of them. */
  jobs(): Promise<Entry[]> {
    return this.#all(`/jobs?account_id=${this.id}&`);
  }

  deliveries(): Promise<{ id: string; type: string; status: string; event_id: string }[]> {
    return this.#all(`/deliveries?account_id=${this.id}&`);
  }

  #recorded(): Promise<{ id: string; type: string; envelope: Envelope }[]> {
    return this.#all(`/events?account_id=${this.id}&`);
  }

  /** All rows of a list, oldest first: a page holds the newest thousand. */
  async #all<Row extends { id: string }>(list: string): Promise<Row[]> {
    const rows: Row[] = [];
    for (;;) {
      const after = rows.length > 0 ? `&after=${rows.at(-1)?.id}` : '';
      const { body } = await this.world.control('GET', `${list}limit=1000${after}`);
      rows.push(...body.data);
      if (body.data.length < 1000) return rows.toReversed();
    }
  }

  /** The record of a job once it is final. Advancing the clock waits for all due renders, which polls would slow down. */
  async finished(path: string): Promise<Answer> {
    await this.world.advance(0);
    return this.get(path);
  }

  /** Orders a clip or a song, and returns the final record of its job, or of its first take. */
  async made(path: '/videos/generations' | '/music/generations', order: object): Promise<Answer> {
    const { body } = await this.post(path, order);
    return this.finished(`${path}/${body.data?.[0].id ?? body.id}`);
  }
}

export interface Envelope {
  id: string;
  type: string;
  created: number;
  // biome-ignore lint/suspicious/noExplicitAny: data is asserted field by field
  data: any;
}

// biome-ignore lint/suspicious/noExplicitAny: records are asserted field by field
type Entry = Record<string, any>;

export interface LedgerEntry {
  id: string;
  type: string;
  amount: number;
  balance: number;
  operation: string | null;
  job_id: string | null;
  refund_of: string | null;
  created: number;
}

function typed(body: unknown): Record<string, string> {
  return body === undefined || body instanceof FormData || typeof body === 'string' || Buffer.isBuffer(body)
    ? {}
    : { 'content-type': 'application/json' };
}

function written(body: unknown): RequestInit['body'] {
  if (body === undefined || body instanceof FormData || typeof body === 'string') return body as RequestInit['body'];
  return Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body);
}

async function request(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init);
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = bytes.length > 0 && response.headers.get('content-type')?.startsWith('application/json');
  const { status, headers } = response;
  const answer = { status, headers, body: isJson ? JSON.parse(bytes.toString()) : undefined, bytes };
  requireRecord(init.method ?? 'GET', url, answer);
  return answer;
}
