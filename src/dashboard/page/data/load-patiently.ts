import { later } from './browser-time.ts';

/** How long after a failure it is tried again, in milliseconds. */
const RETRY_AFTER = 1000;

/** Loads a part of the page: as long as the emulator does not answer, again and again. */
export async function loadPatiently<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    await new Promise<void>((resolve) => later(RETRY_AFTER, resolve));
    return loadPatiently(load);
  }
}
