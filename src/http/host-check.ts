import type { Config } from '../config/config.ts';
import { EmulatorError, invalid } from '../errors.ts';

/** Host names that mean this machine. */
const LOOPBACK_NAME = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\]|host\.docker\.internal)$/;

/** How many different Host headers are remembered. */
const REMEMBERED = 1000;

/**
 * Decides by its `Host` whether a request is meant for this emulator, and on which address its URLs are built.
 * Bound to loopback, other names are refused, so that no web page can reach it under a name of its own (DNS rebinding).
 */
export class HostRule {
  readonly #config: Config;
  readonly #allowed: Set<string>;
  readonly #baseUrls = new Map<string, string>();

  constructor(config: Config) {
    this.#config = config;
    const publicHost = config.publicUrl ? [new URL(config.publicUrl).hostname] : [];
    this.#allowed = new Set([...publicHost, ...config.allowHost.map((host) => host.toLowerCase())]);
  }

  /** Throws `forbidden_host`, or `invalid_request` for a Host that makes no URL. */
  baseUrl(host: string): string {
    const known = this.#baseUrls.get(host);
    if (known) return known;
    const baseUrl = this.#judge(host);
    if (this.#baseUrls.size < REMEMBERED) this.#baseUrls.set(host, baseUrl);
    return baseUrl;
  }

  /** Whether a request has reached this emulator under the origin of a URL. */
  isOwn({ origin, host }: URL): boolean {
    return origin === this.#config.publicUrl || this.#baseUrls.has(host);
  }

  #judge(host: string): string {
    const url = parseHost(host);
    if (isLoopbackBind(this.#config.host) && !this.#isKnown(url.hostname)) {
      throw new EmulatorError(
        'forbidden_host',
        `The Host "${host.slice(0, 100)}" is not this machine. Use 127.0.0.1 or localhost, or start with --allow-host ${url.hostname.slice(0, 80)}.`,
      );
    }
    return this.#config.publicUrl ?? url.origin;
  }

  #isKnown(hostname: string): boolean {
    return LOOPBACK_NAME.test(hostname) || this.#allowed.has(hostname);
  }
}

/** Whether an address to listen on is reached from this machine only. */
export function isLoopbackBind(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}

function parseHost(host: string): URL {
  const url = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
  if (url && /^[^/?#@\\]+$/.test(host)) return url;
  throw invalid(
    null,
    `The Host header "${host.slice(0, 100)}" makes no valid URL; send the host and port you connect to.`,
  );
}
