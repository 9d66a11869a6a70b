import { readEvents, type StreamedEvent } from './event-stream.ts';

/** What an emulator answered that a control request could not have: `code` and `param` as in the service's errors. */
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

/** Nothing answers where an emulator was to be. */
export class NoEmulator extends TypeError {
  override name = 'NoEmulator';
}

/** What stands behind the `?` of a path; undefined values are left out. */
export type Query = Record<string, string | number | undefined>;

/** Speaks to the control surface of one emulator. */
export class ControlConnection {
  /** Scheme, host and port. */
  readonly url: string;
  readonly #headers: Record<string, string>;
  readonly #onUnused: (fields: string) => void;

  /** `controlToken` is wanted beyond loopback only; `onUnused` hears of fields that an answer says had no effect. */
  constructor(url: string, controlToken?: string, onUnused: (fields: string) => void = () => {}) {
    this.url = url.replace(/(?<!\/)\/+$/, '');
    this.#headers = controlToken ? { authorization: `Bearer ${controlToken}` } : {};
    this.#onUnused = onUnused;
  }

  get<T>(path: string, query?: Query): Promise<T> {
    return this.#call('GET', path + queryText(query), undefined);
  }

  /** What lies beside the control surface, not below `/_emulator`. */
  getBeside<T>(path: string): Promise<T> {
    return this.#fetch(path, { method: 'GET' });
  }

  post<T>(path: string, body?: unknown): Promise<T> {
    return this.#call('POST', path, body);
  }

  /** As `post`, of what is answered as a text that is no JSON. */
  async text(path: string, body: unknown): Promise<string> {
    const headers = { ...this.#headers, 'content-type': 'application/json' };
    const asked = fetch(`${this.url}/_emulator${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const response = await asked.catch((cause) => this.#noAnswer(cause));
    const text = await response.text();
    if (!response.ok) throw new ControlError(response.status, JSON.parse(text).error);
    return text;
  }

  put<T>(path: string, body: unknown): Promise<T> {
    return this.#call('PUT', path, body);
  }

  patch<T>(path: string, body: unknown): Promise<T> {
    return this.#call('PATCH', path, body);
  }

  /** Any operation, by its method and path. */
  send<T>(method: string, path: string, order: { query?: Record<string, unknown>; body?: unknown }): Promise<T> {
    return this.#call(method, path + queryText(order.query as Query), order.body);
  }

  delete(path: string, query?: Query): Promise<void> {
    return this.#call('DELETE', path + queryText(query), undefined);
  }

  /** All items of a list, newest first, or the first `limit` of them. */
  async list<T>(path: string, query?: Query): Promise<T[]> {
    const { data } = await this.get<{ data: T[] }>(path, query);
    return data;
  }

  /** The server-sent events of a path, until they end; rejects when the connection is lost. */
  async *stream(path: string, query: Query, signal: AbortSignal): AsyncGenerator<StreamedEvent> {
    const url = `${this.url}/_emulator${path}${queryText(query)}`;
    const response = await fetch(url, { headers: this.#headers, signal }).catch((cause) => this.#noAnswer(cause));
    if (!response.ok) throw new ControlError(response.status, JSON.parse(await response.text()).error);
    if (response.body) yield* readEvents(response.body);
  }

  /** What `fetch` says of it is "fetch failed". */
  #noAnswer(cause: unknown): never {
    if (!(cause instanceof TypeError)) throw cause;
    throw new NoEmulator(
      `No emulator answers at ${this.url}. Start one with svc-emulator start, or say where it is with --host and --port.`,
      { cause },
    );
  }

  #call<T>(method: string, path: string, body: unknown): Promise<T> {
    const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    return this.#fetch(`/_emulator${path}`, { method, ...(body === undefined ? {} : json) });
  }

  async #fetch<T>(path: string, init: RequestInit): Promise<T> {
    const headers = { ...this.#headers, ...init.headers };
    const ask = () => fetch(this.url + path, { ...init, headers });
    // A connection that was kept may be closed just when it is used again: who only reads may ask once more.
    const asked = init.method === 'GET' ? ask().catch(ask) : ask();
    const response = await asked.catch((cause) => this.#noAnswer(cause));
    const text = await response.text();
    const answer = text === '' ? undefined : JSON.parse(text);
    if (!response.ok) throw new ControlError(response.status, answer.error);
    const unused = response.headers.get('svc-emulator-warnings');
    if (unused !== null) this.#onUnused(unused);
    return answer;
  }
}

function queryText(query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return '';
  return `?${new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])))}`;
}
