import { emulatorNow } from './account-and-clock.ts';
import { loadableFileUrl } from './call-api.ts';

const MAX_URLS = 5000;
/** A URL is replaced this many seconds before it expires. */
const MARGIN = 60;
/** How many seconds a new URL is valid. It was signed this long before it expires. */
const LIFE = 7 * 86_400;

/**
 * Each response signs its URLs again. A file keeps its first URL while it is valid, so that it is loaded once and
 * continues to play.
 */
class StableUrls {
  readonly #known = new Map<string, string>();

  of(url: string): string {
    const near = url.startsWith('blob:') ? url : loadableFileUrl(url);
    if (/^(?:blob|data):/.test(near)) return near;
    const [path = ''] = near.split('?');
    const known = this.#known.get(path);
    if (known !== undefined && outlives(known, near)) return known;
    this.#known.set(path, near);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_URLS && oldest !== undefined) this.#known.delete(oldest);
    return near;
  }

  forget(): void {
    this.#known.clear();
  }
}

/**
 * True if the known URL is valid now and was valid when the new one was signed. The page may learn late that the clock
 * moved.
 */
function outlives(known: string, near: string): boolean {
  return expiryOf(known) - MARGIN > Math.max(emulatorNow() / 1000, expiryOf(near) - LIFE);
}

export function isUrlExpired(near: string): boolean {
  return expiryOf(near) <= emulatorNow() / 1000;
}

function expiryOf(near: string): number {
  return Number(new URLSearchParams(near.split('?')[1]).get('expires') ?? Number.POSITIVE_INFINITY);
}

export const stableUrls = new StableUrls();
