import { emulatorNow } from './account-and-clock.ts';
import { localUrl } from './call-api.ts';

const MAX_URLS = 5000;
/** Seconds before its end from which a URL is replaced. */
const MARGIN = 60;

/**
 * Each response signs its URLs again. A visible file keeps its first URL while it is valid, so that it is loaded once and
 * continues to play.
 */
class StableUrls {
  readonly #known = new Map<string, string>();

  of(url: string): string {
    const near = url.startsWith('blob:') ? url : localUrl(url);
    if (/^(?:blob|data):/.test(near)) return near;
    const [path = ''] = near.split('?');
    const known = this.#known.get(path);
    if (known !== undefined && isGood(known)) return known;
    this.#known.set(path, near);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_URLS && oldest !== undefined) this.#known.delete(oldest);
    return near;
  }

  forget(): void {
    this.#known.clear();
  }
}

function isGood(near: string): boolean {
  const expires = new URLSearchParams(near.split('?')[1]).get('expires');
  return expires === null || Number(expires) - MARGIN > emulatorNow() / 1000;
}

export const stableUrls = new StableUrls();
