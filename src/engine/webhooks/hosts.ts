import type { LookupAddress } from 'node:dns';
import ipaddr from 'ipaddr.js';
import type { Clock } from '../../base/clock/clock.ts';

export function isLoopbackHost(host: string): boolean {
  if (ipaddr.isValid(host)) return ipaddr.parse(host).range() === 'loopback';
  return isLocalhostName(host);
}

/** Rejects if the name has no addresses. */
export type ResolveHost = (host: string) => Promise<LookupAddress[]>;

const RESOLVE_MS = 2000;

/** How many lookups run together: without a network, each blocks one of the few threads that also read files. */
const MAX_LOOKUPS = 2;

const LOOPBACK: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

const systemResolve: ResolveHost = (host) => process.getBuiltinModule('node:dns/promises').lookup(host, { all: true });

export class NameResolver {
  readonly #clock: Clock;
  readonly #resolve: ResolveHost;
  readonly #lookups = new Map<string, Promise<LookupAddress[]>>();

  constructor(clock: Clock, resolve: ResolveHost = systemResolve) {
    this.#clock = clock;
    this.#resolve = resolve;
  }

  /** Loopback names are never looked up. Rejects if the name is unknown or takes more than 2 s. */
  resolve(host: string): Promise<LookupAddress[]> {
    if (isLocalhostName(host)) return Promise.resolve(LOOPBACK);
    return new Promise((resolve, reject) => {
      const limit = new AbortController();
      const cancel = this.#clock.after(RESOLVE_MS, () => {
        limit.abort();
        reject(new Error(`${host} did not resolve within ${RESOLVE_MS / 1000} s`));
      });
      this.#lookUp(host, limit.signal).then(resolve, reject).finally(cancel);
    });
  }

  async resolvePublic(host: string): Promise<LookupAddress[]> {
    const addresses = await this.resolve(host);
    const inner = addresses.find(({ address }) => !isPublicAddress(address));
    if (inner) throw new Error(`${host} resolves to ${inner.address}, which is not a public address`);
    return addresses;
  }

  async #lookUp(host: string, limit: AbortSignal): Promise<LookupAddress[]> {
    while (!this.#lookups.has(host) && this.#lookups.size >= MAX_LOOKUPS) {
      await Promise.race(this.#lookups.values()).catch(() => undefined);
      limit.throwIfAborted();
    }
    return this.#lookups.get(host) ?? this.#begin(host);
  }

  #begin(host: string): Promise<LookupAddress[]> {
    const answer = this.#resolve(host).finally(() => this.#lookups.delete(host));
    this.#lookups.set(host, answer);
    return answer;
  }
}

/** Public IPv6 addresses come from this block only. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** Ends of host names in private networks, reserved by IANA, the IETF or common use. */
const INTERNAL_SUFFIXES = [
  'local',
  'localdomain',
  'internal',
  'home.arpa',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
];

/** An IPv4 address within an IPv6 address does not count as public. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST);
}

/** RFC 6761 reserves `localhost` and all names below it for loopback. */
export function isLocalhostName(host: string): boolean {
  const name = withoutDot(host);
  return name === 'localhost' || name.endsWith('.localhost');
}

/** A name without a dot, or with a reserved suffix, belongs to a private network. */
function isInternalName(host: string): boolean {
  const name = withoutDot(host);
  if (!name.includes('.')) return true;
  return INTERNAL_SUFFIXES.some((suffix) => name.endsWith(`.${suffix}`));
}

export function hostWithoutBrackets(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/**
 * Returns a part of a message, such as `names an internal host`. Undefined if the host may be public. Names are not
 * resolved.
 */
export function reasonHostIsPrivate(host: string): string | undefined {
  if (isLoopbackHost(host)) return 'names this machine';
  if (ipaddr.isValid(host)) return isPublicAddress(host) ? undefined : 'names an address that is not public';
  return isInternalName(host) ? 'names an internal host' : undefined;
}

function withoutDot(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}
