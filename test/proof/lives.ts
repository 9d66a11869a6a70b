import { expect } from 'vitest';
import { emptyFolder } from '../cli/spawned-program.ts';
import { expectFilesOwned, expectPromisesHeld } from '../scenarios/held-promises.ts';
import { EVENTS, engineM, numbers, type Sent, sendAll } from '../scenarios/mixed-load.ts';
import { type Life, startLife } from '../support/lives.ts';
import { Receiver } from '../support/receiver.ts';
import type { TestAccount } from '../support/world.ts';

interface Past {
  account: TestAccount;
  sent: Sent[];
  signal: NodeJS.Signals;
}

/**
 * Runs the program several times on one data folder. The signal ends each life under load, at a moment that the seed gives.
 * The next life must keep all promises of the previous one.
 */
export async function endLives(
  seed: number,
  { lives, signal }: { lives: number; signal: 'SIGKILL' | 'SIGTERM' },
): Promise<{ count: number }> {
  const folder = emptyFolder();
  const receiver = await Receiver.start();
  const random = numbers(seed);
  try {
    let past: Past | undefined;
    for (let n = 0; n <= lives; n += 1) {
      const life = await startLife(['--settle-after', '0.05', '--log', 'json'], folder);
      if (past) await expectKept(past, { life, folder, receiver });
      if (n === lives) expect(await life.program.stop()).toBe(0);
      else past = await endUnderLoad(life, { random, receiver, signal });
      expect(errorsIn(life.program.stderr)).toEqual([]);
    }
    return { count: lives };
  } finally {
    await receiver.close();
  }
}

const ERROR_LEVEL = 50;

/** Logged errors, and lines that are not log entries. A killed process may leave half a line. */
function errorsIn(stderr: string): string[] {
  const lines = stderr.split('\n').slice(0, -1);
  return lines.filter((line) => !line.startsWith('{') || JSON.parse(line).level >= ERROR_LEVEL);
}

/** Sends the signal a few milliseconds after a number of responses, while other requests are open. */
async function endUnderLoad(
  { program, here }: Life,
  { random, receiver, signal }: { random: Generator<number>; receiver: Receiver; signal: 'SIGKILL' | 'SIGTERM' },
): Promise<Past> {
  const account = await here.account({ plan: 'studio', credits: 1_000_000 });
  await account.post('/webhooks', { url: `${receiver.origin}/hook`, events: EVENTS });
  const enough = random.next().value % 60;
  const later = random.next().value % 40;
  const first = random.next().value % 8;
  let isOver = false;
  const over = (answered: number) => {
    if (answered >= enough && !isOver) {
      isOver = true;
      setTimeout(() => program.child.kill(signal), later);
    }
    return false;
  };
  const load = { engine: await engineM(here), first, over };
  const sent = await sendAll(account, load);
  const code = await program.ended();
  if (signal === 'SIGTERM') expect(code).toBe(0);
  return { account, sent, signal };
}

async function expectKept(
  { account, sent, signal }: Past,
  { life, folder, receiver }: { life: Life; folder: string; receiver: Receiver },
): Promise<void> {
  const again = account.in(life.here);
  await expectPromisesHeld(again, sent, receiver);
  expectFilesOwned(folder);
  const { body } = await life.here.control('GET', '/snapshots');
  expect(body.data.filter(({ damaged }: { damaged?: unknown }) => damaged)).toEqual([]);
  if (signal === 'SIGTERM') await expectNothingLost(again);
}

/** Calls wait for these renders, and a stop ends them at its time limit. Other jobs continue at the next start. */
const AWAITED = ['svc-image-one', 'svc-voice-one', 'svc-motion-one'];

/** A stop refunds no job that could continue: only jobs that had to fail have failed. */
async function expectNothingLost(account: TestAccount): Promise<void> {
  const failed = (await account.jobs()).filter(({ status }) => status === 'failed');
  const lost = failed.filter(({ model, error }) => error.code !== 'render_failed' && !AWAITED.includes(model));
  expect(lost.map(({ id, model, error }) => `${id} ${model} ${error.code}`)).toEqual([]);
}
