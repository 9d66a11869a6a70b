import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { lookUntil } from '../support/look-until.ts';
import { balance, chat, emptyFolder, idleConnection, startProgram } from './spawned-program.ts';

/** A call that would keep its connection for ten minutes of the emulator's time. */
const ENDLESS = '[[slow:600]] Take your time.';

it('stops although a call would last ten minutes, and starts again in good order [I203 I136]', async () => {
  const folder = emptyFolder();
  const { program, cut } = await slowCall(['--data-dir', folder]);
  expect(await program.stop()).toBe(0);
  await cut;
  const next = await startProgram(['--data-dir', folder]);
  const answer = await fetch(`${next.url}/_emulator/invariants`);
  expect(await answer.json()).toMatchObject({ ok: true });
});

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

it.each([
  ['SIGTERM', 'SIGINT'],
  ['SIGINT', 'SIGTERM'],
] as const)('ends at once with 1 when %s is followed by %s [I203 I150]', async (first, second) => {
  const { program, url, cut } = await slowCall();
  const idle = await idleConnection(url);
  program.child.kill(first);
  await once(idle, 'close');
  expect(await program.stop(second)).toBe(1);
  await cut;
});

it.each(SIGNALS)(
  'takes a %s and its echo for one and stops in good order; the same later than that ends it at once with 1 [I203 I150]',
  async (signal) => {
    const echoed = await slowCall();
    echoed.program.child.kill(signal);
    expect(await echoed.program.stop(signal)).toBe(0);
    await echoed.cut;
    expect(echoed.program.stderr).not.toMatch(/error|^\s+at /m);
    const { program, cut } = await slowCall();
    const again = setInterval(() => program.child.kill(signal), 200);
    onTestFinished(() => clearInterval(again));
    expect(await program.stop(signal)).toBe(1);
    await cut;
  },
);

/** A program with a call that was charged, so that it is being worked on; `cut` once it was cut off. */
async function slowCall(flags: readonly string[] = ['--ephemeral']) {
  const { program, url } = await startProgram(flags);
  const cut = expect(chat(url, ENDLESS)).rejects.toThrow();
  await lookUntil(async () => (await balance(url)) !== 100_000);
  return { program, url, cut };
}
