/** What narrows a list: as a query has it. */
type Query = Readonly<Record<string, string | number | undefined>>;

/** Carries out an operation of the control surface by its method and path, in this process. */
export type ControlCall = (method: string, path: string, order?: { query?: Query; body?: unknown }) => Promise<unknown>;

/** The control surface of the emulator that a run takes place in: what a user could do by hand, without a connection. */
export class RunControl {
  readonly #call: ControlCall;

  constructor(call: ControlCall) {
    this.#call = call;
  }

  get<T>(path: string, query?: Query): Promise<T> {
    return this.#send('GET', path, { query });
  }

  post<T>(path: string, body: unknown = {}): Promise<T> {
    return this.#send('POST', path, { body });
  }

  put<T>(path: string, body: unknown): Promise<T> {
    return this.#send('PUT', path, { body });
  }

  async delete(path: string, query?: Query): Promise<void> {
    await this.#send('DELETE', path, { query });
  }

  /** All items of a list, newest first, or the first `limit` of them. */
  async list<T>(path: string, query?: Query): Promise<T[]> {
    const { data } = await this.get<{ data: T[] }>(path, query);
    return data;
  }

  async #send<T>(method: string, path: string, order: { query?: Query | undefined; body?: unknown }): Promise<T> {
    const { query = {}, body } = order;
    return (await this.#call(method, `/_emulator${path}`, { query, body })) as T;
  }
}
