import { emulatorNow } from './account-and-clock.ts';
import { localUrl } from './call-api.ts';

const MOST = 5000;
/** A URL that expires this soon is not used any more, in seconds. */
const MARGIN = 60;

/**
 * Every answer signs its URLs anew. What is on show keeps the one by which it was first shown, as long as that is good:
 * a picture is loaded once, and a clip plays on.
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
    if (this.#known.size > MOST && oldest !== undefined) this.#known.delete(oldest);
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
