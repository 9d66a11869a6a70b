import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import type { Clock } from '../../base/clock/clock.ts';
import { type ChoiceId, type EmulatorError, invalidRequestError } from '../../base/errors.ts';
import {
  hostWithoutBrackets,
  isLocalhostName,
  isLoopbackHost,
  isPublicAddress,
  NameResolver,
  type ResolveHost,
  reasonHostIsPrivate,
} from './hosts.ts';
import { INBOX_PATH } from './inboxes.ts';

const MAX_URL = 2048;
const BEYOND = 'names this machine, which webhooks may not call, because --host lets other machines reach the emulator';

const INBOX_REMEDY = 'Give the URL of a receiver of your own, or of one of the inboxes under /_emulator/inbox/.';

export interface DeliveryRoute {
  target: URL;
  verifyCertificate: boolean;
  /** The addresses of the host. Rejects if one of them is not allowed. */
  addresses(host: string): Promise<LookupAddress[]>;
}

export interface UrlGuardOptions {
  clock: Clock;
  /** Whether loopback is rejected like other private hosts. */
  strict: boolean;
  /**
   * Whether other machines can reach the emulator. Loopback is then rejected too, so that they cannot reach this
   * machine through it. Inboxes and the targets of `forwards` are still allowed.
   */
  isReachable: boolean;
  /** The keys are `https` origins of endpoints, the values are the origins that receive their webhooks instead. */
  forwards: ReadonlyMap<string, string>;
  resolve?: ResolveHost;
  own?: SelfUrlDetector;
}

/** Keeps deliveries out of networks that the owner of an endpoint must not reach. */
export class UrlGuard {
  readonly #strict: boolean;
  readonly #isReachable: boolean;
  readonly #forwards: ReadonlyMap<string, string>;
  readonly #resolver: NameResolver;
  readonly #own: SelfUrlDetector | undefined;

  constructor({ clock, strict, isReachable, forwards, resolve, own }: UrlGuardOptions) {
    this.#own = own;
    this.#strict = strict;
    this.#isReachable = isReachable;
    this.#forwards = forwards;
    this.#resolver = new NameResolver(clock, resolve);
  }

  /**
   * Throws `invalid_request` unless an endpoint may have the URL. A name that does not resolve in 2 s is accepted here
   * and checked again when sending.
   */
  async check(text: string): Promise<void> {
    const { target, forwarded } = this.#route(text);
    const host = hostWithoutBrackets(target);
    if (forwarded || isIP(host) || isLoopbackHost(host)) return;
    const addresses = await this.#resolver.resolve(host).catch(() => []);
    const inner = addresses.find(({ address }) => !isPublicAddress(address));
    if (inner) throw refused(`resolves to ${inner.address}, which is not a public address`, text, 'C142');
  }

  /** Checks the URL again, and its addresses when they are resolved. */
  route(text: string): DeliveryRoute {
    const { target, forwarded } = this.#route(text);
    const here = isLoopbackHost(hostWithoutBrackets(target));
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
    if (this.#own?.leadsHere(target, host)) throw refused('leads to the emulator itself', text, 'C210', INBOX_REMEDY);
  }

  #route(text: string): { target: URL; forwarded: boolean } {
    const url = parse(text);
    const local = url.protocol === 'https:' && this.#forwards.get(url.origin);
    const target = local ? moved(url, local) : url;
    this.#refuseOwn(target, hostWithoutBrackets(target), text);
    if (local || this.#isExcepted(url)) return { target, forwarded: true };
    this.#judge(url, text);
    return { target: url, forwarded: false };
  }

  #isExcepted(url: URL): boolean {
    if (!this.#isReachable || this.#strict) return false;
    return this.#own?.isInbox(url) === true || [...this.#forwards.values()].includes(url.origin);
  }

  #judge(url: URL, text: string): void {
    const host = hostWithoutBrackets(url);
    if (isLoopbackHost(host)) {
      if (this.#strict) throw refused('names this machine, which --strict forbids', text, 'C144');
      if (this.#isReachable) throw refused(BEYOND, text, 'C144', remedyFor(url.origin));
      return;
    }
    if (url.protocol !== 'https:') throw refused('is not https', text);
    const fault = reasonHostIsPrivate(host);
    if (fault) throw refused(fault, text, 'C142');
  }
}

function parse(text: string): URL {
  if (text.length > MAX_URL) {
    throw refused(`has ${text.length} characters; at most ${MAX_URL} are accepted`, text);
  }
  // Parsers disagree about these characters: one reads a path where another reads a host.
  if (/[\\\t\r\n]/.test(text)) throw refused('contains a backslash, a tab or a line break', text, 'C142');
  if (text.includes('\0')) throw refused('contains a NUL character', text);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!HAS_SCHEME.test(text)) throw refused('has no scheme', text, undefined, schemeRemedy(text));
  if (!url) throw refused('is not a valid URL', text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refused('is neither http nor https', text);
  if (url.username || url.password) throw refused('contains a user name or password', text, 'C142');
  return url;
}

/** Without this check, `localhost:3000/hook` would be a URL with the scheme `localhost`. */
const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:(?!\d)/i;

function schemeRemedy(text: string): string {
  const meant = `http://${text.replace(/^\/+/, '').slice(0, 200)}`;
  const host = URL.canParse(meant) ? hostWithoutBrackets(new URL(meant)) : '';
  if (isLoopbackHost(host)) return `Write http:// before it: ${meant}`;
  const example = host.includes('.') ? meant.replace('http', 'https') : 'https://your.host/hook';
  return `Write https:// before it, as in ${example}, or for a receiver on this machine http://, as in http://localhost:3000/hook`;
}

function remedyFor(receiver = 'http://localhost:PORT'): string {
  return `Give an https URL of a public host, or start the emulator with --forward https://your.host=${receiver}.`;
}

/** Copies the path and the query one by one, so that a path such as `//host` cannot become another host. */
function moved(url: URL, origin: string): URL {
  const target = new URL(origin);
  target.pathname = url.pathname;
  target.search = url.search;
  return target;
}

function refused(fault: string, text: string, choice?: ChoiceId, remedy = remedyFor()): EmulatorError {
  return invalidRequestError('url', `url ${fault} (${text.slice(0, 200)}). ${remedy}`, choice);
}

/** Matches the path of an inbox in a `URL`, in which dot segments are resolved, but no other escapes. */
const INBOX = new RegExp(`^${INBOX_PATH}/[A-Za-z0-9_-]+/?$`);

interface OwnAddresses {
  host: string;
  publicUrl: string | undefined;
}

/**
 * Rejects URLs of this emulator: a delivery to one could reset it, or start work whose event leads to the next
 * delivery. Inboxes are allowed [I227].
 */
export class SelfUrlDetector {
  readonly #addresses: OwnAddresses;
  #port: string | undefined;

  constructor(addresses: OwnAddresses) {
    this.#addresses = addresses;
  }

  open(url: URL): void {
    this.#port = portOf(url);
  }

  /** `host` is the host name of `target`, or an address that it resolved to; IPv6 without brackets. */
  leadsHere(target: URL, host: string): boolean {
    if (INBOX.test(target.pathname)) return false;
    if (target.origin === this.#publicOrigin()) return true;
    return portOf(target) === this.#port && this.#isHere(host);
  }

  isInbox(target: URL): boolean {
    return INBOX.test(target.pathname) && portOf(target) === this.#port && this.#isHere(hostWithoutBrackets(target));
  }

  #publicOrigin(): string | undefined {
    const { publicUrl } = this.#addresses;
    return publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  }

  #isHere(host: string): boolean {
    const own = this.#addresses.host;
    if (isLocalhostName(host) || host.toLowerCase() === own.toLowerCase()) return true;
    if (!ipaddr.isValid(host)) return false;
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
