import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { LocalRequests } from '../base/local-requests.ts';
import { operationsOver, type Transport } from '../control/call-operation.ts';

const test = z.string().optional();

const actedViolation = z.object({ id: z.string(), times: z.number(), refused: z.number() });
export type ActedViolationRecord = z.infer<typeof actedViolation>;

/** Empty if the request had none. */
const reachedViolation = z.object({ violation: z.string(), site: z.string(), account_id: z.string(), test });
export type ReachedViolationRecord = z.infer<typeof reachedViolation>;

/**
 * Applies to the accounts of one test, or to all without a test. The run uses the `id` to find out whether it acted.
 */
const violationOrder = z.object({ id: z.string(), violation: z.string(), site: z.string().optional(), test });
export type ViolationOrder = z.infer<typeof violationOrder>;

/** For emulators that a suite starts itself. */
const violationOrders = z.object({ dead: z.boolean(), observe: z.boolean(), armed: z.array(violationOrder) });
type ViolationOrders = z.infer<typeof violationOrders>;

const violationReport = z.object({
  requests: z.number(),
  reached: z.array(reachedViolation.omit({ test: true })),
  acted: z.array(actedViolation),
});
type ViolationReport = z.infer<typeof violationReport>;

export interface ViolationSwitch {
  setDead(isDead: boolean): void;
  observe(on: boolean): void;
  arm(violations: readonly ViolationOrder[]): void;
  reached(): readonly ReachedViolationRecord[];
  acted(): readonly ActedViolationRecord[];
  /** Called before a reset or a restore removes the record. */
  onReplace: () => Promise<void>;
  /** Called before anybody knows the key of the account. */
  onJoin: (accountId: string, test: string) => Promise<void>;
  elsewhere?(): number;
}

/**
 * Passes violations to the emulator of a run, and to those that its suite starts, which ask at `url` and report
 * there. A violation for one test affects only the first: requests to the others belong to the whole suite.
 */
export class ViolationRelay implements ViolationSwitch {
  readonly #own: ViolationSwitch;
  readonly #server: Server;
  #orders: ViolationOrders = { dead: false, observe: false, armed: [] };
  #reports: ViolationReport[] = [];

  private constructor(own: ViolationSwitch) {
    this.#own = own;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async open(own: ViolationSwitch): Promise<ViolationRelay> {
    const relay = new ViolationRelay(own);
    await new Promise<void>((resolve, reject) => {
      relay.#server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    relay.#server.unref();
    return relay;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  setDead(isDead: boolean): void {
    this.#orders = { ...this.#orders, dead: isDead };
    this.#own.setDead(isDead);
  }

  observe(on: boolean): void {
    this.#orders = { ...this.#orders, observe: on };
    this.#own.observe(on);
  }

  arm(violations: readonly ViolationOrder[]): void {
    this.#reports = [];
    this.#orders = { ...this.#orders, armed: violations.filter(({ test }) => test === undefined) };
    this.#own.arm(violations);
  }

  reached(): readonly ReachedViolationRecord[] {
    // With the same seed, their accounts may have ids of others.
    const others = this.#reports.flatMap(({ reached }) => reached);
    return [...this.#own.reached(), ...others.map((each) => ({ ...each, account_id: `other ${each.account_id}` }))];
  }

  acted(): readonly ActedViolationRecord[] {
    const others = this.#reports.flatMap(({ acted }) => acted);
    return this.#own.acted().map(({ id, times, refused }) => {
      const same = others.filter((each) => each.id === id);
      const sum = (of: (each: ActedViolationRecord) => number) => same.reduce((total, each) => total + of(each), 0);
      return { id, times: times + sum((each) => each.times), refused: refused + sum((each) => each.refused) };
    });
  }

  get onReplace(): () => Promise<void> {
    return this.#own.onReplace;
  }

  set onReplace(keep: () => Promise<void>) {
    this.#own.onReplace = keep;
  }

  get onJoin(): ViolationSwitch['onJoin'] {
    return this.#own.onJoin;
  }

  set onJoin(arm: ViolationSwitch['onJoin']) {
    this.#own.onJoin = arm;
  }

  elsewhere(): number {
    return this.#reports.reduce((total, { requests }) => total + requests, 0);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (request.method === 'POST') this.#reports.push(violationReport.parse(JSON.parse(await text(request))));
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(this.#orders));
    } catch {
      response.writeHead(400).end();
    }
  }
}

interface JoiningParts {
  url: string;
  violations: ViolationSwitch;
  control: Transport;
}

/**
 * Called by an emulator that a suite of `svc-emulator check` starts. The returned function reports the results before
 * the emulator is closed. Throws if the run cannot be reached.
 */
export async function joinCheck({ url, violations, control }: JoiningParts): Promise<() => Promise<void>> {
  const requests = new LocalRequests();
  const answer = await requests.send(url);
  const { dead, observe, armed } = violationOrders.parse(await answer.body.json());
  violations.setDead(dead);
  violations.observe(observe);
  violations.arm(armed);
  return async () => {
    const body = JSON.stringify(await reportOf(violations, control));
    // A run that has ended accepts no reports.
    await requests.send(url, { method: 'POST', body }).then(
      ({ body: rest }) => rest.dump(),
      () => undefined,
    );
  };
}

const ALL = 1000;

async function reportOf(violations: ViolationSwitch, control: Transport): Promise<ViolationReport> {
  const { data } = await operationsOver(control)('listRequests', { limit: ALL, brief: 'true' });
  return {
    requests: data.filter(({ path }) => path.startsWith('/v1')).length,
    reached: [...violations.reached()],
    acted: [...violations.acted()],
  };
}
