import type { CallOperation } from '../client/call-operation.ts';
import { ControlConnection } from '../client/control-connection.ts';

/** The address and keys of the emulator that the demo is part of. */
export interface DemoAddress {
  /** Scheme, host and port. */
  url: string;
  /** What the control surface wants beyond loopback. */
  controlToken: string | undefined;
  /** The key of the account that is populated. */
  key: string;
}

/** The error that the service answered. */
class DemoRefused extends Error {
  override name = 'DemoRefused';
  readonly code: string;

  constructor({ code, message }: { code: string; message: string }) {
    super(message);
    this.code = code;
  }
}

/** Calls the emulator over HTTP as any application does, so that its records are those of real requests. */
export class DemoClient {
  readonly #address: DemoAddress;
  readonly #signal: AbortSignal;
  /** Calls an operation of the control surface by its name. */
  readonly control: CallOperation;

  /** Every call is rejected when `signal` aborts, the one under way included. */
  constructor(address: DemoAddress, signal: AbortSignal) {
    const { url, controlToken } = address;
    this.#address = address;
    this.#signal = signal;
    this.control = new ControlConnection(url, { controlToken, signal }).call;
  }

  /** Orders something of the service. Throws an error with the service's message. */
  order<T>(path: string, body: object): Promise<T> {
    return this.#post(`/v1${path}`, body);
  }

  /** The URL of a built-in inbox. */
  inbox(name: string): string {
    const { url, controlToken } = this.#address;
    const token = controlToken === undefined ? '' : `?token=${encodeURIComponent(controlToken)}`;
    return `${url}/_emulator/inbox/${name}${token}`;
  }

  /** The account that is populated: the first one. */
  async account(): Promise<{ id: string; workspace_id: string }> {
    const { data } = await this.control('listAccounts');
    const account = data.at(-1);
    if (!account) throw new Error('there is no account');
    return account;
  }

  async #post<T>(path: string, body: object): Promise<T> {
    const { url, key } = this.#address;
    const response = await fetch(url + path, {
      method: 'POST',
      headers: {
        'user-agent': 'svc-emulator-demo',
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
      signal: this.#signal,
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const answer = isJson ? JSON.parse(text) : undefined;
    if (!response.ok) throw new DemoRefused(answer.error);
    return answer;
  }
}
