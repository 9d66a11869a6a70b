import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../base/clock/clock.ts';
import type { Config } from '../../base/config/config.ts';
import type { Database } from '../../base/database/database.ts';
import { readSetting, writeSetting } from '../../base/database/setting-store.ts';
import type { Log } from '../../base/log.ts';
import { fixtureFolder } from '../../base/package/package-folder.ts';
import { DEMO_SETTING } from '../../engine/accounts/seed.ts';
import { EVENT_TYPES } from '../../engine/webhooks/event-schemas.ts';
import type { WireInput } from '../call-operation.ts';
import { ControlConnection, ControlError } from '../control-connection.ts';

/** What a step may still take once the demo is to pause, in real milliseconds. */
const GRACE = 1000;

export interface DemoParts {
  config: Config;
  database: Database;
  clock: Clock;
  log: Log;
}

/**
 * Populates a state that was seeded for it, in the background. How far it has come is kept in that state, so that a
 * restart goes on, a reset begins anew, a restored state is as it was, and nothing is made twice: a step counts when it
 * begins. Where one fails the log says why, and the others follow.
 */
export class Demo {
  readonly #parts: DemoParts;
  #address: DemoAddress | undefined;
  #work: Promise<void> = Promise.resolve();
  #paused = false;
  #cut = new AbortController();

  constructor(parts: DemoParts) {
    this.#parts = parts;
  }

  /** Begins, or goes on, now that the emulator listens. */
  open(address: DemoAddress): void {
    this.#address = address;
    this.wake();
  }

  /** Goes on with whatever state there is now. */
  wake(): void {
    const { config, log } = this.#parts;
    if (!config.demo || !this.#address) return;
    this.#paused = false;
    this.#cut = new AbortController();
    const client = new DemoClient(this.#address, this.#cut.signal);
    this.#work = this.#populate(client).catch((error: unknown) => log.error({ error }, 'the demo could not go on'));
  }

  /** Resolves when nothing of the demo is under way any more. */
  async warn(): Promise<void> {
    this.#paused = true;
    const cancel = this.#parts.clock.after(GRACE, () => this.#cut.abort());
    await this.#work;
    cancel();
  }

  async #populate(client: DemoClient): Promise<void> {
    const { database, log } = this.#parts;
    const done = readSetting<number>(database, DEMO_SETTING);
    const steps = demoSteps();
    if (done === undefined || done >= steps.length) return;
    for (const [position, step] of steps.entries()) {
      if (position < done) continue;
      if (this.#paused) return;
      await database.transact((tx) => writeSetting(tx, DEMO_SETTING, position + 1));
      await this.#make(step, client);
    }
    // The last step starts a run, whose requests and deliveries are part of it.
    const isAtRest = await client.settle().catch(() => false);
    if (isAtRest) log.info({}, 'the demo is complete');
  }

  async #make(step: DemoStep, client: DemoClient): Promise<void> {
    try {
      await client.make(step);
    } catch (error) {
      if (this.#cut.signal.aborted) return;
      const reason = error instanceof Error ? error.message : String(error);
      this.#parts.log.error({}, `the demo goes without ${step.what}: ${reason}`);
    }
  }
}

/** The address and keys of the emulator that the demo is part of. */
interface DemoAddress {
  /** Scheme, host and port. */
  url: string;
  /** What the control surface wants beyond loopback. */
  controlToken: string | undefined;
  /** The key of the account that is populated. */
  key: string;
}

type Flow = Pick<WireInput<'createFlow'>, 'name' | 'steps'>;

/** One thing that a populated account has: an entry of `fixtures/demo.json`, or a file of `fixtures/flows`. */
type DemoStep = { what: string } & (
  | { flow: Flow }
  | { endpoint: { inbox: string } }
  /** Scripted answers, for the populated account alone. */
  | { fixtures: WireInput<'addFixtures'>['fixtures'] }
  | { element: Omit<WireInput<'createElement'>, 'account_id'> }
  /** How the jobs of the populated account come to their end from here on. */
  | { progression: WireInput<'setProgression'>['mode'] }
  /** A path of the service below /v1; jobs that come of it are ended with the outcome. */
  | { request: string; body: object; outcome?: 'succeeded' | 'failed' }
  /** The name of a flow. */
  | { run: string; inputs: Record<string, unknown> }
);

/** Everything that the demo makes, in order: one after another, so that the same seed gives the same ids. */
function demoSteps(): DemoStep[] {
  const folder = path.join(fixtureFolder(), 'flows');
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  const flows = files.sort().map((file): Flow => readJson(path.join(folder, file)));
  return [
    ...flows.map((flow) => ({ what: `the flow "${flow.name}"`, flow })),
    ...readJson<DemoStep[]>(path.join(fixtureFolder(), 'demo.json')),
  ];
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The longest that what they begin may take, in seconds. */
const LONGEST = 300;

/** The error that the service answered. */
class DemoRefused extends Error {
  override name = 'DemoRefused';
}

/**
 * Makes the steps by calls over HTTP as any application does, so that the records of the emulator are those of real
 * requests. A step finds what those before it made by itself: a restart may lie between them.
 */
class DemoClient {
  readonly #address: DemoAddress;
  readonly #signal: AbortSignal;
  readonly #control: ControlConnection;

  /** Every call is rejected when `signal` aborts, the one under way included. */
  constructor(address: DemoAddress, signal: AbortSignal) {
    this.#address = address;
    this.#signal = signal;
    this.#control = new ControlConnection(address.url, { controlToken: address.controlToken, signal });
  }

  /** Throws an error with the service's message. */
  make(step: DemoStep): Promise<unknown> {
    if ('flow' in step) return this.#createFlow(step.flow);
    if ('fixtures' in step) return this.#addFixtures(step.fixtures);
    if ('endpoint' in step) return this.#addEndpoint(step.endpoint.inbox);
    if ('element' in step) return this.#createElement(step.element);
    if ('progression' in step) return this.#setProgression(step.progression);
    if ('run' in step) return this.#startRun(step.run, step.inputs);
    return this.#order(step.request, step.body, step.outcome);
  }

  /** Resolves when nothing that the steps have started is under way any more. Throws where that takes minutes. */
  async settle(): Promise<true> {
    await this.#control.call('waitFor', { for: 'idle', timeout: LONGEST });
    return true;
  }

  async #createFlow(flow: Flow): Promise<void> {
    const { workspace_id } = await this.#account();
    await this.#control.call('createFlow', { ...flow, workspace_id });
  }

  async #addFixtures(fixtures: WireInput<'addFixtures'>['fixtures']): Promise<void> {
    const { id } = await this.#account();
    const own = fixtures.map((each) => ({ ...each, match: { ...each.match, account_id: id } }));
    await this.#control.call('addFixtures', { fixtures: own });
  }

  #addEndpoint(inbox: string): Promise<unknown> {
    const { url, controlToken } = this.#address;
    const token = controlToken === undefined ? '' : `?token=${encodeURIComponent(controlToken)}`;
    return this.#post('/webhooks', { url: `${url}/_emulator/inbox/${inbox}${token}`, events: EVENT_TYPES });
  }

  /** With the newest picture. */
  async #createElement(element: Omit<WireInput<'createElement'>, 'account_id'>): Promise<void> {
    const { id } = await this.#account();
    const { data } = await this.#control.call('listLibrary', { account_id: id, kind: 'image', limit: 1 });
    await this.#control.call('createElement', { ...element, account_id: id, image: data[0]?.url });
  }

  async #setProgression(mode: WireInput<'setProgression'>['mode']): Promise<void> {
    const { id } = await this.#account();
    await this.#control.call('setProgression', { mode, account_id: id });
  }

  /** Jobs are ended without waiting for their progression. */
  async #order(request: string, body: object, outcome?: 'succeeded' | 'failed'): Promise<void> {
    const answer = await this.#post<{ id: string; data?: { id: string }[] }>(request, body);
    if (!outcome) return;
    for (const { id } of answer?.data ?? [answer]) {
      await this.#control.call('finishJob', { id, outcome }).catch(ignoreConflict);
    }
  }

  async #startRun(name: string, inputs: Record<string, unknown>): Promise<void> {
    const { data } = await this.#control.call('listFlows');
    const flow = data.findLast((each) => each.name === name);
    if (!flow) throw new Error(`there is no flow "${name}"`);
    await this.#control.call('startRun', { id: flow.id, inputs });
  }

  /** The account that is populated: the first one. */
  async #account(): Promise<{ id: string; workspace_id: string }> {
    const { data } = await this.#control.call('listAccounts');
    const account = data.at(-1);
    if (!account) throw new Error('there is no account');
    return account;
  }

  async #post<T>(route: string, body: object): Promise<T> {
    const { url, key } = this.#address;
    const headers = {
      'user-agent': 'svc-emulator-demo',
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
    };
    const request = { method: 'POST', headers, body: JSON.stringify(body), signal: this.#signal };
    const response = await fetch(`${url}/v1${route}`, request);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const answer = isJson ? JSON.parse(text) : undefined;
    if (!response.ok) throw new DemoRefused(answer.error.message);
    return answer;
  }
}

/** The job has ended by itself. */
function ignoreConflict(error: unknown): void {
  if (!(error instanceof ControlError && error.code === 'conflict')) throw error;
}
