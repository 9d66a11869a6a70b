import type { LookupAddress } from 'node:dns';
import type { Clock } from '../clock/clock.ts';
import { isLocalhostName, isPublicAddress } from './public-address.ts';

/** All addresses of a name; rejects when there are none. */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

/** What a name is given to resolve, in milliseconds of real time. */
const RESOLVE_MS = 2000;

/** Questions open at one time: without a network each holds, for long, one of the few threads that also read files. */
const MOST_QUESTIONS = 2;

const LOOPBACK: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

const systemResolve: Resolve = (host) => process.getBuiltinModule('node:dns/promises').lookup(host, { all: true });

/** Turns names into addresses, in bounded time. */
export class NameResolver {
  readonly #clock: Clock;
  readonly #resolve: Resolve;
  readonly #asked = new Map<string, Promise<LookupAddress[]>>();

  constructor(clock: Clock, resolve: Resolve = systemResolve) {
    this.#clock = clock;
    this.#resolve = resolve;
  }

  /** Names of loopback are never asked about. Rejects when the name is unknown or takes more than 2 s. */
  resolve(host: string): Promise<LookupAddress[]> {
    if (isLocalhostName(host)) return Promise.resolve(LOOPBACK);
    return new Promise((resolve, reject) => {
      const given = new AbortController();
      const cancel = this.#clock.after(RESOLVE_MS, () => {
        given.abort();
        reject(new Error(`${host} did not resolve within ${RESOLVE_MS / 1000} s`));
      });
      this.#ask(host, given.signal).then(resolve, reject).finally(cancel);
    });
  }

  /** As `resolve`, but rejects too when any of the addresses is not public. */
  async resolvePublic(host: string): Promise<LookupAddress[]> {
    const addresses = await this.resolve(host);
    const inner = addresses.find(({ address }) => !isPublicAddress(address));
    if (inner) throw new Error(`${host} resolves to ${inner.address}, which is not a public address`);
    return addresses;
  }

  /** Who asks for a name that is being asked for shares the answer. */
  async #ask(host: string, given: AbortSignal): Promise<LookupAddress[]> {
    while (!this.#asked.has(host) && this.#asked.size >= MOST_QUESTIONS) {
      await Promise.race(this.#asked.values()).catch(() => undefined);
      given.throwIfAborted();
    }
    return this.#asked.get(host) ?? this.#begin(host);
  }

  #begin(host: string): Promise<LookupAddress[]> {
    const answer = this.#resolve(host).finally(() => this.#asked.delete(host));
    this.#asked.set(host, answer);
    return answer;
  }
}
