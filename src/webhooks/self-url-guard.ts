import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { INBOX_PATH } from './inbox.ts';
import { isLocalhostName } from './public-address.ts';

/** As `new URL` writes the paths of inboxes, dots and escapes resolved. */
const INBOX = new RegExp(`^${INBOX_PATH}/[A-Za-z0-9_-]+/?$`);

export interface OwnAddresses {
  /** The address it listens on. */
  host: string;
  publicUrl: string | undefined;
}

/**
 * Tells which URLs lead back to this emulator, whatever they are spelled like: a delivery to one could reset it, or
 * order what is announced by the next delivery. Its inboxes may be sent to [I227].
 */
export class SelfUrlGuard {
  readonly #addresses: OwnAddresses;
  #port = '';

  constructor(addresses: OwnAddresses) {
    this.#addresses = addresses;
  }

  /** Told once it listens. */
  open(port: string): void {
    this.#port = port;
  }

  /** `host` is the URL's, as sockets know it: a name or an address that it resolved to. */
  leadsHere(target: URL, host: string): boolean {
    if (INBOX.test(target.pathname)) return false;
    if (target.origin === this.#publicOrigin()) return true;
    return portOf(target) === this.#port && this.#isHere(host);
  }

  #publicOrigin(): string | undefined {
    const { publicUrl } = this.#addresses;
    return publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  }

  #isHere(host: string): boolean {
    const own = this.#addresses.host;
    if (isLocalhostName(host) || host.toLowerCase() === own.toLowerCase()) return true;
    if (!ipaddr.isValid(host)) return false;
    // An IPv4 address within IPv6 is the IPv4 address.
    const address = ipaddr.process(host);
    const range = address.range();
    if (range === 'loopback' || range === 'unspecified') return true;
    const bound = ipaddr.isValid(own) ? ipaddr.process(own) : undefined;
    if (bound?.range() !== 'unspecified') return bound?.toString() === address.toString();
    return ownInterfaces().includes(address.toString());
  }
}

function ownInterfaces(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.map(({ address }) => ipaddr.process(address).toString());
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}
