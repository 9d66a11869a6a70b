import { type PassedExchange, startPassing } from '../cli/pass-on.ts';
import { unpacked } from '../cli/recorded-line.ts';
import type { Transport, TransportInput } from '../client/call-operation.ts';
import { ControlError } from '../client/control-connection.ts';
import { VirtualClock } from '../clock/clock.ts';
import type { RealTarget } from '../config/real-target.ts';
import { Random } from '../random.ts';
import { Inbox, type SigningEndpoint } from '../webhooks/inbox.ts';
import { inboxIn, PublicReceiver } from './public-receiver.ts';
import { callReal, pollUntil } from './real-transport.ts';
import type { SuiteTest } from './suite-client.ts';

/** The test that has opened an inbox; one of several that ran at once; the suite, beside its tests. */
export type InboxOwner = SuiteTest | 'several' | 'suite';

type PublicWay = NonNullable<RealTarget['webhook']>;

/** Characters of a name that are kept in a path, and of the random part behind them. */
const [NAME, TOKEN] = [30, 22];

/** Begins to pass the suite's requests on: the answer that makes an endpoint shows the secret of its deliveries. */
export async function openWebhooks(target: RealTarget, way: PublicWay): Promise<RealWebhooks> {
  const webhooks = new RealWebhooks(target, way);
  webhooks.proxy = await startPassing({ upstream: target.url, onExchange: (exchange) => webhooks.note(exchange) });
  return webhooks;
}

/**
 * Inboxes for tests on the service itself: each has a random path below `SVC_WEBHOOK_URL`, which leads to a server on this
 * machine. The server listens while a test has an inbox, and the endpoints of the test's inboxes are deleted after it.
 */
export class RealWebhooks {
  /** The public address. */
  readonly publicUrl: string;
  proxy: { url: string; close(): Promise<void> } | undefined;
  readonly #target: RealTarget;
  readonly #random = new Random();
  readonly #inbox: Inbox;
  readonly #receiver: PublicReceiver;
  /** By id. */
  readonly #endpoints = new Map<string, SigningEndpoint>();
  /** The open inboxes by their names in URLs. */
  readonly #owners = new Map<string, InboxOwner>();
  #opened = 0;

  constructor(target: RealTarget, { url, port }: PublicWay) {
    this.#target = target;
    this.publicUrl = url;
    const endpointsOf = (name: string) => [...this.#endpoints.values()].filter((each) => inboxIn(each.url) === name);
    this.#inbox = new Inbox({ clock: new VirtualClock(), random: this.#random, onMessage: () => {}, endpointsOf });
    this.#receiver = new PublicReceiver(port, (message) =>
      this.#owners.has(message.inbox) ? this.#inbox.receive(message).id : undefined,
    );
  }

  /** Where the suite sends its requests. */
  get url(): string {
    return this.proxy?.url ?? this.#target.url;
  }

  /** The name in URLs of an inbox: the same for one name in one test. */
  open(name: string, owner: InboxOwner): string {
    const start = `${name.slice(0, NAME)}-`;
    const known = [...this.#owners].find(([each, of]) => of === owner && each.slice(0, -TOKEN) === start);
    if (known && owner !== 'several') return known[0];
    this.#opened += 1;
    const opened = start + this.#random.token('webhooks', 'path', this.#opened, TOKEN);
    this.#owners.set(opened, owner);
    this.#receiver.listen();
    return opened;
  }

  /** Closes the inboxes of a test; after the last of several also those that are of one of them. Rejects never. */
  async end(test: SuiteTest, isLast: boolean): Promise<void> {
    const isOver = (owner: InboxOwner) => owner === test || (isLast && owner === 'several');
    const names = [...this.#owners].filter(([, owner]) => isOver(owner)).map(([name]) => name);
    if (names.length === 0) return;
    await this.#deleteEndpoints(names);
    for (const name of names) {
      this.#inbox.clear(name);
      this.#owners.delete(name);
    }
    if (this.#owners.size === 0) await this.#receiver.close();
  }

  async close(): Promise<void> {
    await this.#deleteEndpoints([...this.#owners.keys()]);
    this.#owners.clear();
    await this.#receiver.close();
    await this.proxy?.close();
  }

  /** Keeps the secret of an endpoint that was made. */
  note({ request, status, headers, body }: PassedExchange): void {
    if (request.method !== 'POST' || status >= 300 || !/\/webhooks\/?(?:\?|$)/.test(request.path)) return;
    const { id, url, secret } = fieldsOf(unpacked(body, headers['content-encoding']) ?? '');
    if (id && url && secret) this.#endpoints.set(id, { id, url, secret });
  }

  /** What is asked of an open inbox, and waits for its messages, are answered here; everything else by `rest`. */
  over(rest: Transport): Transport {
    return async (method, path, input = {}) => {
      const awaited = path === '/_emulator/wait' ? /^inbox:(.*)$/.exec(String(input.query?.for))?.[1] : undefined;
      if (awaited !== undefined && this.#owners.has(awaited)) return this.#wait(awaited, input);
      const [, name = ''] = /^\/_emulator\/inbox\/([^/]+)\/messages$/.exec(path) ?? [];
      if (!this.#owners.has(name)) return rest(method, path, input);
      await this.#receiver.listening;
      if (method === 'DELETE') return this.#inbox.clear(name);
      return { object: 'list', data: this.#inbox.list(name, { limit: Number.POSITIVE_INFINITY }) };
    };
  }

  async #wait(name: string, { query = {} }: TransportInput): Promise<object> {
    await this.#receiver.listening;
    const seen = query.after === undefined ? 0 : this.#inbox.numberOf(name, String(query.after));
    const found = await pollUntil(`a message at ${this.publicUrl} (SVC_WEBHOOK_URL)`, async () => {
      if (!this.#owners.has(name)) throw new Error(`The inbox ${name} is closed: its test is over.`);
      return this.#inbox.next(name, seen, { genuine: String(query.genuine) === 'true' });
    });
    return { for: query.for, ...found };
  }

  /** By the service's own list too: an endpoint may have been made without the proxy. */
  async #deleteEndpoints(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const [target, from] = [this.#target, `/v1/webhooks`];
    try {
      const { webhooks = [] } = (await callReal(target, 'GET', from)) as { webhooks?: SigningEndpoint[] };
      const ours = [...this.#endpoints.values(), ...webhooks].filter(({ url }) => names.includes(inboxIn(url)));
      for (const id of new Set(ours.map((each) => each.id))) {
        await callReal(target, 'DELETE', `${from}/${encodeURIComponent(id)}`).catch(unlessGone);
        this.#endpoints.delete(id);
      }
    } catch (error) {
      const { message } = error as Error;
      process.emitWarning(
        `Endpoints below ${this.publicUrl} may be left at ${target.url}; delete them there: ${message}`,
      );
    }
  }
}

/** The test itself may have deleted it. */
function unlessGone(error: unknown): void {
  if (!(error instanceof ControlError && error.status === 404)) throw error;
}

function fieldsOf(text: string): Record<string, string | undefined> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
