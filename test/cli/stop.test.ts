import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { lookUntil } from '../support/look-until.ts';
import { world } from '../support/world.ts';
import { balance, chat, emptyFolder, idleConnection, startProgram } from './spawned-program.ts';

/** A prompt that keeps a chat open for ten minutes of the emulator's time. */
const ENDLESS = '[[slow:600]] Take your time.';

it('stops during a request of ten minutes, and starts again without repair [I203 I136]', async () => {
  const folder = emptyFolder();
  const { program, cut } = await slowCall(['--data-dir', folder]);
  expect(await program.stop()).toBe(0);
  await cut;
  const next = await world({ ephemeral: false, dataDir: folder });
  expect(await next.invariants()).toMatchObject({ ok: true });
});

it('exits with 1 if SIGINT follows SIGTERM while a request is open [I203 I150]', async () => {
  const { program, url, cut } = await slowCall();
  const idle = await idleConnection(url);
  program.child.kill('SIGTERM');
  await once(idle, 'close');
  expect(await program.stop('SIGINT')).toBe(1);
  await cut;
});

it.each(['SIGINT', 'SIGHUP'] as const)(
  'treats a %s that is repeated immediately as one signal [I203 I150]',
  async (signal) => {
    const { program, cut } = await slowCall();
    program.child.kill(signal);
    expect(await program.stop(signal)).toBe(0);
    await cut;
    expect(program.stderr).not.toMatch(/error|^\s+at /m);
  },
);

it('exits with 1 at a second signal during a stop [I203 I150]', async () => {
  const { program, cut } = await slowCall();
  const again = setInterval(() => program.child.kill('SIGTERM'), 200);
  onTestFinished(() => clearInterval(again));
  expect(await program.stop()).toBe(1);
  await cut;
});

/** Starts a program with an open chat that was already charged. `cut` resolves once the chat is cut off. */
async function slowCall(flags: readonly string[] = ['--ephemeral']) {
  const { program, url } = await startProgram(flags);
  const cut = expect(chat(url, ENDLESS)).rejects.toThrow();
  await lookUntil(async () => (await balance(url)) !== 100_000);
  return { program, url, cut };
}
