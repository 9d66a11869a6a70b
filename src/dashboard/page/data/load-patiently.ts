import { later } from './browser-time.ts';
import { recordSource } from './record-source.ts';

/** How long after a failure it is tried again, in milliseconds. */
const RETRY_AFTER = 1000;

/**
 * Loads a part of the page, once the emulator answers: a browser never asks again for a module that it could not
 * fetch. Should it go away in that very moment, the page begins anew when it is back.
 */
export async function loadPatiently<T>(load: () => Promise<T>): Promise<T> {
  await untilAnswered();
  try {
    return await load();
  } catch {
    // While it ends it may answer once more, and would leave a page without its scripts.
    await pause();
    await untilAnswered();
    window.location.reload();
    return new Promise<T>(() => undefined);
  }
}

async function untilAnswered(): Promise<void> {
  // A record has all its parts in it.
  if (recordSource.value) return;
  while (!(await answers())) await pause();
}

function pause(): Promise<void> {
  return new Promise<void>((resolve) => later(RETRY_AFTER, resolve));
}

async function answers(): Promise<boolean> {
  try {
    await fetch('/_emulator/health', { method: 'HEAD' });
    return true;
  } catch {
    return false;
  }
}
