/** Where the demo finds the emulator that it is part of. */
export interface DemoAddress {
  /** Scheme, host and port. */
  url: string;
  /** What the control surface wants beyond loopback. */
  controlToken: string | undefined;
  /** The key of the account that is populated. */
  key: string;
}

/** An answer that is no success. */
export class DemoRefused extends Error {
  override name = 'DemoRefused';
  readonly code: string;

  constructor({ code, message }: { code: string; message: string }) {
    super(message);
    this.code = code;
  }
}

/** Calls the emulator as any application would, so that all it leaves is made by the road that others take. */
export class DemoClient {
  readonly #address: DemoAddress;
  readonly #signal: AbortSignal;

  /** Whoever aborts `signal` has every call rejected, the one under way included. */
  constructor(address: DemoAddress, signal: AbortSignal) {
    this.#address = address;
    this.#signal = signal;
  }

  /** Orders something of the service. Throws an error with the service's message. */
  order<T>(path: string, body: object): Promise<T> {
    return this.#call(`/v1${path}`, this.#address.key, body);
  }

  /** The same of the control surface. */
  control<T>(path: string, body?: object): Promise<T> {
    return this.#call(`/_emulator${path}`, this.#address.controlToken, body);
  }

  /** The URL of a built-in inbox. */
  inbox(name: string): string {
    const { url, controlToken } = this.#address;
    const token = controlToken === undefined ? '' : `?token=${encodeURIComponent(controlToken)}`;
    return `${url}/_emulator/inbox/${name}${token}`;
  }

  /** The account that is populated: the first one. */
  async account(): Promise<{ id: string; workspace_id: string }> {
    const { data } = await this.control<List<{ id: string; workspace_id: string }>>('/accounts');
    const account = data.at(-1);
    if (!account) throw new Error('there is no account');
    return account;
  }

  async #call<T>(path: string, bearer: string | undefined, body: object | undefined): Promise<T> {
    const response = await fetch(this.#address.url + path, {
      method: body ? 'POST' : 'GET',
      headers: {
        'user-agent': 'svc-emulator-demo',
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: this.#signal,
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const answer = isJson ? JSON.parse(text) : undefined;
    if (!response.ok) throw new DemoRefused(answer.error);
    return answer;
  }
}

/** A page of the control surface, newest first. */
export interface List<T> {
  data: T[];
}
