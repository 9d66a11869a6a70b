import { operationsOver, type Query, type Transport } from './call-operation.ts';

/** The error that an emulator answered a control request with: `code` and `param` as in the service's errors. */
export class ControlError extends Error {
  override name = 'ControlError';
  readonly status: number;
  readonly code: string;
  readonly param: string | null;

  constructor(status: number, error: { code: string; message: string; param: string | null }) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.param = error.param;
  }
}

/** No emulator answers at the address. */
export class NoEmulator extends TypeError {
  override name = 'NoEmulator';
}

export interface ConnectionOptions {
  /** Needed beyond loopback only. */
  controlToken?: string | undefined;
  /** Is called with the fields that an answer names as ignored. */
  onUnused?(fields: string): void;
  /** Cancels the requests under way. */
  signal?: AbortSignal;
}

/** One server-sent event. */
export interface StreamedEvent {
  id: string;
  event: string;
  data: string;
}

/** Sends requests to the control surface of one emulator, over HTTP. */
export class ControlConnection {
  /** Scheme, host and port. */
  readonly url: string;
  readonly #headers: Record<string, string>;
  readonly #options: ConnectionOptions;

  constructor(url: string, options: ConnectionOptions = {}) {
    const { controlToken } = options;
    this.url = url.replace(/(?<!\/)\/+$/, '');
    this.#headers = controlToken ? { authorization: `Bearer ${controlToken}` } : {};
    this.#options = options;
  }

  /** The same connection; its requests are cancelled when `signal` aborts. */
  until(signal: AbortSignal): ControlConnection {
    return new ControlConnection(this.url, { ...this.#options, signal });
  }

  /** For `operationsOver`. */
  readonly transport: Transport = (method, path, { query, body } = {}) => {
    const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    return this.#fetch(path + queryText(query), { method, ...(body === undefined ? {} : json) });
  };

  /** Calls an operation by its name: `call('getJob', { id })`. */
  readonly call = operationsOver(this.transport);

  /** The server-sent events of a path, until they end; rejects when the connection is lost. */
  async *stream(path: string, query: Query, signal: AbortSignal): AsyncGenerator<StreamedEvent> {
    const url = `${this.url}/_emulator${path}${queryText(query)}`;
    const response = await fetch(url, { headers: this.#headers, signal }).catch((cause) => this.#noAnswer(cause));
    if (!response.ok) throw new ControlError(response.status, JSON.parse(await response.text()).error);
    if (response.body) yield* readEvents(response.body);
  }

  /** The message of `fetch` itself is "fetch failed". */
  #noAnswer(cause: unknown): never {
    if (!(cause instanceof TypeError)) throw cause;
    throw new NoEmulator(
      `No emulator answers at ${this.url}. Start one with svc-emulator start, or say where it is with --host and --port.`,
      { cause },
    );
  }

  async #fetch(path: string, init: RequestInit): Promise<unknown> {
    const { signal = null, onUnused } = this.#options;
    const headers = { ...this.#headers, ...init.headers };
    const ask = () => fetch(this.url + path, { ...init, headers, signal });
    // A kept connection may be closed just when it is used again: a request that only reads is sent once more.
    const asked = init.method === 'GET' ? ask().catch(ask) : ask();
    const response = await asked.catch((cause) => this.#noAnswer(cause));
    const text = await response.text();
    const isJson = !response.ok || response.headers.get('content-type')?.startsWith('application/json') === true;
    const answer = isJson ? JSON.parse(text) : text || undefined;
    if (!response.ok) throw new ControlError(response.status, answer.error);
    const unused = response.headers.get('svc-emulator-warnings');
    if (unused !== null) onUnused?.(unused);
    return answer;
  }
}

function queryText(query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return '';
  return `?${new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])))}`;
}

async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamedEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) yield parseEvent(block);
  }
}

function parseEvent(block: string): StreamedEvent {
  const fields = block.split('\n').map((line) => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)] as const;
  });
  const all = (wanted: string) => fields.flatMap(([name, value]) => (name === wanted ? [value] : []));
  return {
    id: all('id').join(),
    event: all('event').join() || 'message',
    data: all('data').join('\n'),
  };
}
