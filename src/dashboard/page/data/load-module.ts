import { later } from './browser-time.ts';
import { recordSource } from './call-api.ts';

/** How long after a failure it is tried again, in milliseconds. */
const RETRY_AFTER = 1000;
/** So often in a row an emulator answers that is not about to end. */
const STABLE_ANSWERS = 4;

/**
 * Loads a part of the page, once the emulator answers: a browser never asks again for a module that it could not
 * fetch. Should it go away in that very moment, the page begins anew when it is back.
 */
export async function loadModule<T>(load: () => Promise<T>): Promise<T> {
  await untilAnswered();
  try {
    return await load();
  } catch {
    await untilStable();
    window.location.reload();
    return new Promise<T>(() => undefined);
  }
}

async function untilAnswered(): Promise<void> {
  // A record has all its parts in it.
  if (recordSource.value) return;
  while (!(await answers())) await pause();
}

/** While it ends it may answer for seconds, and would leave an empty page that never comes back. */
async function untilStable(): Promise<void> {
  for (let answered = 0; answered < STABLE_ANSWERS; ) {
    await pause();
    answered = (await answers()) ? answered + 1 : 0;
  }
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
