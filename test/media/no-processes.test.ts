import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder, SpawnedProgram } from '../cli/spawned-program.ts';
import { World } from '../support/world.ts';

const PICTURE = ['/images/generations', { prompt: 'a pier' }] as const;
const VOICE = ['/audio/speech', { input: 'A pier.', voice: 'aria' }] as const;
/** Root has no limit, so another user runs the emulator. */
const USER = process.getuid?.() === 0 ? { uid: 64_123, gid: 64_123 } : {};

function hasPrlimit(): boolean {
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function started(): Promise<{ program: SpawnedProgram; here: World }> {
  const folder = emptyFolder();
  if (USER.uid !== undefined) {
    chmodSync(tmpdir(), 0o711);
    chmodSync(folder, 0o777);
  }
  const program = new SpawnedProgram(
    ['start', '--port', '0', '--data-dir', path.join(folder, 'data')],
    { TMPDIR: folder },
    folder,
    process.execPath,
    USER,
  );
  return { program, here: new World({ url: await program.ready() }) };
}

function allowNoMore({ child }: SpawnedProgram): void {
  execFileSync('prlimit', ['--pid', String(child.pid), '--nproc=1:1'], USER);
}

it.runIf(process.platform === 'linux' && hasPrlimit())(
  'reports and refunds a render that failed because the system allows no more processes',
  async () => {
    const { program, here } = await started();
    const account = await here.account({ credits: 100 });
    allowNoMore(program);
    // The first request needs a thread, which the system refuses.
    for (const [operation, order] of [VOICE, PICTURE, VOICE]) {
      const { status, body } = await account.post(operation, order);
      expect([status, body.error]).toEqual([
        502,
        expect.objectContaining({
          code: 'render_failed',
          message: expect.stringContaining('the system allows no more processes. Raise the limit (ulimit -u'),
        }),
      ]);
    }
    expect(await account.balance()).toBe(100);
    expect((await here.invariants()).ok).toBe(true);
    expect(await program.stop()).toBe(0);
  },
);

it.runIf(process.platform === 'linux' && hasPrlimit())(
  'reports that the encoder could not be started because the system allows no more processes',
  async () => {
    const { program, here } = await started();
    const account = await here.account({ credits: 100 });
    expect((await account.post(...PICTURE)).status).toBe(200);
    const before = await account.ledger();
    allowNoMore(program);
    const { status, body } = await account.post(...VOICE);
    expect([status, body.error.message]).toEqual([
      502,
      expect.stringMatching(/ffmpeg cannot run: the system allows no more processes\. Raise the limit \(ulimit -u/),
    ]);
    const [charge, refund, ...others] = (await account.ledger()).slice(before.length);
    expect([charge, others]).toEqual([refund?.replace('refund ', 'charge -'), []]);
    expect(await program.stop()).toBe(0);
  },
);
