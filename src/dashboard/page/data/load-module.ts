import { later } from './browser.ts';
import { recordSource } from './call-api.ts';

/** The delay before a retry, in milliseconds. */
const RETRY_AFTER = 1000;
/** This many answers in a row mean that the emulator is not about to stop. */
const STABLE_ANSWERS = 4;

/**
 * Loads a module of the page once the emulator answers: a browser never retries a module that it could not
 * fetch. If the emulator stops meanwhile, the page reloads when it is back.
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
  // A trace contains all modules.
  if (recordSource.value) return;
  while (!(await answers())) await pause();
}

/** An emulator that is stopping may still answer for seconds; a reload then would leave an empty page. */
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
