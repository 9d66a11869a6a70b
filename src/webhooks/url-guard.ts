import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import type { Clock } from '../clock/clock.ts';
import { type EmulatorError, invalid } from '../errors.ts';
import { NameResolver, type Resolve } from './name-resolver.ts';
import { isInternalName, isLoopbackHost, isPublicAddress } from './public-address.ts';
import type { SelfUrlGuard } from './self-url-guard.ts';

const LONGEST_URL = 2048;
const REMEDY =
  'Give an https URL of a public host, or start the emulator with --forward https://your.host=http://localhost:PORT.';

const INBOX_REMEDY = 'Give the URL of a receiver of your own, or of one of the inboxes under /_emulator/inbox/.';

/** Where a delivery really goes, and on what terms. */
export interface Route {
  target: URL;
  /** Whether a receiver's certificate has to be valid. */
  verifyCertificate: boolean;
  /** The addresses that the host of `target` may be reached at; rejects when none is allowed. */
  addresses(host: string): Promise<LookupAddress[]>;
}

export interface UrlGuardOptions {
  clock: Clock;
  /** Whether loopback is as forbidden as every other private host. */
  strict: boolean;
  /** Public origin -> local origin. */
  forwards: ReadonlyMap<string, string>;
  /** How names become addresses: the system's way unless told otherwise. */
  resolve?: Resolve;
  /** What leads back to the emulator; without it, nothing does. */
  own?: SelfUrlGuard;
}

/** Keeps deliveries out of networks that the one who names a URL may not reach. */
export class UrlGuard {
  readonly #strict: boolean;
  readonly #forwards: ReadonlyMap<string, string>;
  readonly #resolver: NameResolver;
  readonly #own: SelfUrlGuard | undefined;

  constructor({ clock, strict, forwards, resolve, own }: UrlGuardOptions) {
    this.#own = own;
    this.#strict = strict;
    this.#forwards = forwards;
    this.#resolver = new NameResolver(clock, resolve);
  }

  /** Throws `invalid_request` unless the URL may be given to an endpoint. A name that does not resolve in 2 s may. */
  async check(text: string): Promise<void> {
    const { target, forwarded } = this.#route(text);
    const host = bareHost(target);
    if (forwarded || isIP(host) || isLoopbackHost(host)) return;
    const addresses = await this.#resolver.resolve(host).catch(() => []);
    const inner = addresses.find(({ address }) => !isPublicAddress(address));
    if (inner) throw refused(`resolves to ${inner.address}, which is not a public address`, text);
  }

  /** The way to a URL now: its name is judged again, and its addresses when they are asked for. */
  route(text: string): Route {
    const { target, forwarded } = this.#route(text);
    const here = isLoopbackHost(bareHost(target));
    return {
      target,
      verifyCertificate: this.#strict || !here,
      addresses: async (host) => {
        const found = await (forwarded || here ? this.#resolver.resolve(host) : this.#resolver.resolvePublic(host));
        for (const { address } of found) this.#refuseOwn(target, address, text);
        return found;
      },
    };
  }

  #refuseOwn(target: URL, host: string, text: string): void {
    if (this.#own?.leadsHere(target, host)) throw refused('leads to the emulator itself', text, INBOX_REMEDY);
  }

  #route(text: string): { target: URL; forwarded: boolean } {
    const url = parse(text);
    const local = url.protocol === 'https:' && this.#forwards.get(url.origin);
    const target = local ? moved(url, local) : url;
    this.#refuseOwn(target, bareHost(target), text);
    if (local) return { target, forwarded: true };
    this.#judge(url, text);
    return { target: url, forwarded: false };
  }

  #judge(url: URL, text: string): void {
    const host = bareHost(url);
    if (isLoopbackHost(host)) {
      if (!this.#strict) return;
      throw refused('names this machine, which --strict forbids', text);
    }
    if (url.protocol !== 'https:') throw refused('is not https', text);
    if (isIP(host) && !isPublicAddress(host)) throw refused('names no public address', text);
    if (!isIP(host) && isInternalName(host)) throw refused('names an internal host', text);
  }
}

function parse(text: string): URL {
  if (text.length > LONGEST_URL) {
    throw refused(`has ${text.length} characters where ${LONGEST_URL} are the most`, text);
  }
  // Parsers differ on these: what one reads as a path is the host to the next.
  if (/[\\\t\r\n]/.test(text)) throw refused('holds a backslash, a tab or a line break', text);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw refused('is no absolute URL', text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refused('is not https', text);
  if (url.username || url.password) throw refused('carries a user name or password', text);
  return url;
}

/** Set part by part: a path of `//host` must not become another host. */
function moved(url: URL, origin: string): URL {
  const target = new URL(origin);
  target.pathname = url.pathname;
  target.search = url.search;
  return target;
}

/** The host in the spelling that sockets know: IPv6 without brackets. */
function bareHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

function refused(fault: string, text: string, remedy = REMEDY): EmulatorError {
  return invalid('url', `url ${fault} (${text.slice(0, 200)}). ${remedy}`);
}
