import path from 'node:path';
import { expect } from 'vitest';
import { FileFolder } from '../../src/engine/storage/file-folder.ts';
import { waveFile } from '../media/audio/audio-samples.ts';
import { expectJobsFinal } from '../scenarios/held-promises.ts';
import { engineM } from '../scenarios/mixed-load.ts';
import { callHook, makeFlow } from '../support/flow-rig.ts';
import { boundedWorld } from '../support/full-disk.ts';
import { CHAT, fileForm } from '../support/wire.ts';
import { type Answer, ephemeral, type TestAccount } from '../support/world.ts';

/** How many pages the database may still grow, and how many files are written, before the disk is full. */
const PAGES = 12;
const FILES = 2;
/** Milliseconds until the disk has room again. A call whose end cannot be written waits for it. */
const HELD_MS = 1500;

/** Every operation that costs credits. Texts are long, so that their records take pages. */
const OPERATIONS: Record<string, (account: TestAccount, engine: string) => Promise<Pick<Answer, 'status'>>> = {
  chat: (account) => account.post('/chat/completions', CHAT),
  picture: (account) => account.post('/images/generations', { prompt: 'pier '.repeat(400) }),
  'stored picture': (account) => account.post('/images/generations', { prompt: 'mill '.repeat(400), store: true }),
  speech: (account) => account.post('/audio/speech', { input: 'Hello there. '.repeat(100), voice: 'aria' }),
  song: (account) =>
    account.post('/music/generations', { style: 'slow, '.repeat(300), instrumental: true, seconds: 30 }),
  'clip job': (account, model) =>
    account.post('/videos/generations', { model, seconds: 4, resolution: '480p', prompt: 'boat '.repeat(800) }),
  clip: (account) => account.post('/videos/generations', { prompt: 'boat '.repeat(800), store: true }),
  upload: (account) => account.post('/storage/objects', fileForm('x'.repeat(20_000))),
  transcription: (account) => account.post('/audio/transcriptions', fileForm(waveFile(16_000))),
  run: async (account) => {
    const steps = [
      { type: 'text', params: { prompt: 'x '.repeat(2000) } },
      { type: 'image', params: { prompt: 'y '.repeat(500) } },
    ];
    const flow = await makeFlow(account, steps).catch(() => undefined);
    return flow
      ? callHook(account, flow.hook_url, {}).then(
          () => ({ status: 202 }),
          () => ({ status: 507 }),
        )
      : { status: 507 };
  },
};

/** One seed for each operation and each write at which the disk becomes full. */
export const DISK_SEEDS = Object.keys(OPERATIONS).length * (PAGES + FILES);

/** Runs one operation on a disk that becomes full at one of its writes. A charge needs a result; a refusal is free. */
export async function fillDisk(seed: number): Promise<{ count: number }> {
  const names = Object.keys(OPERATIONS);
  const operation = OPERATIONS[names[seed % names.length] ?? ''];
  const write = Math.floor((seed - 1) / names.length);
  const files = watchFiles();
  const { here, bound, free, close } = await boundedWorld(ephemeral({ settleAfter: 0.05, seed }));
  const release = () => {
    files.release();
    return free();
  };
  try {
    const account = await here.account({ plan: 'studio', credits: 1000 });
    const engine = await engineM(here);
    if (write < PAGES) await bound(write);
    else files.fail(write - PAGES);
    const sent = operation?.(account, engine);
    const room = setTimeout(() => void release(), HELD_MS);
    const status = (await sent)?.status ?? 0;
    clearTimeout(room);
    await release();
    expect([200, 202, 502, 507]).toContain(status);
    await here.advance(0);
    await account.idle();
    await expectEven(account, status);
    return { count: 1 };
  } finally {
    files.close();
    await close();
  }
}

/** A refused request costs nothing, an accepted one ends as it should, and the next request is served. */
async function expectEven(account: TestAccount, status: number): Promise<void> {
  const { world: here } = account;
  expect(await here.invariants()).toMatchObject({ ok: true });
  const entries = await account.entries();
  expectJobsFinal((await account.jobs()) as never, entries);
  const left = entries.reduce((sum, { amount }) => sum + amount, 0);
  if (status >= 500) expect(left).toBe(1000);
  expect(await account.balance()).toBe(left);
  expect((await account.post('/chat/completions', CHAT)).body.usage.credits_remaining).toBe(left - 1);
}

/** Controls whether emulators of this process can create files. */
function watchFiles() {
  const { scratchPath } = FileFolder.prototype;
  let left = Number.POSITIVE_INFINITY;
  FileFolder.prototype.scratchPath = function watched(this: FileFolder) {
    const file = scratchPath.call(this);
    left -= 1;
    // Not even root can create a file in /sys. The system reports the same error as for a read-only disk.
    return left < 0 ? path.join('/sys', path.basename(file)) : file;
  };
  return {
    fail(after: number) {
      left = after;
    },
    release() {
      left = Number.POSITIVE_INFINITY;
    },
    close() {
      FileFolder.prototype.scratchPath = scratchPath;
    },
  };
}
