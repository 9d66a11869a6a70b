import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { CHAT, fileForm } from '../support/wire.ts';
import { type TestAccount, World } from '../support/world.ts';

const MAIN = path.join(import.meta.dirname, '../../dist/main.js');
const FLAGS = ['start', '--port', '0', '--data-dir'];
/** As many calls as are rendered at once, so that none waits behind one that the disk refuses. */
const CALLS = 4;

/** In its own namespace any user may mount a disk, if the system allows it. No other process sees the disk. */
const MOUNT = 'mount -t tmpfs -o size=8m none "$0" && head -c 2000000 /dev/zero > "$0/other"';
/** Starts the program again each time it ends with code 0. */
const RUNS = 'while "$@" & echo "pid $!"; wait $!; do :; done';

function mayMount(): boolean {
  try {
    execFileSync('unshare', ['-rm', 'sh', '-c', MOUNT, tmpdir()], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Starts the built program on a disk of 8 MiB, a quarter of which another file takes. The disk ends with the program. */
async function startOnSmallDisk() {
  const disk = mkdtempSync(path.join(tmpdir(), 'small-disk-'));
  const command = [process.execPath, MAIN, ...FLAGS, path.join(disk, 'data')];
  const shell = spawn('unshare', ['-rm', 'sh', '-c', `${MOUNT} && ${RUNS}`, disk, ...command], {
    env: { PATH: process.env.PATH, SVC_EMULATOR_WARM: 'false' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]();
  let pid = 0;
  const started = async (): Promise<World> => {
    for (;;) {
      const { value = '', done } = await lines.next();
      if (done) throw new Error('the program has ended');
      pid = Number(/^pid (\d+)$/.exec(value)?.[1] ?? pid);
      const url = /^svc-emulator ready on (\S+)$/.exec(value)?.[1];
      if (url) return new World({ url });
    }
  };
  onTestFinished(async () => {
    const ended = once(shell, 'close');
    process.kill(pid, 'SIGKILL');
    await ended;
    rmSync(disk, { recursive: true });
  });
  return {
    first: await started(),
    makeRoom: () => rmSync(path.join('/proc', String(pid), 'root', disk, 'other')),
    restarted() {
      process.kill(pid, 'SIGTERM');
      return started();
    },
  };
}

/** Each call was paid for with a result, or refunded once. */
async function expectEven(account: TestAccount, refused: number): Promise<void> {
  const entries = await account.entries();
  const jobs = await account.jobs();
  const count = (type: string) => entries.filter((entry) => entry.type === type).length;
  expect(new Set(jobs.map(({ status }) => status))).toEqual(new Set(['succeeded', 'failed']));
  expect(count('refund')).toBe(jobs.filter(({ status }) => status === 'failed').length);
  expect(count('refund')).toBeLessThanOrEqual(refused);
  expect(await account.balance()).toBe(entries.reduce((sum, { amount }) => sum + amount, 0));
  expect(await account.world.invariants()).toMatchObject({ ok: true });
}

it.runIf(mayMount())(
  'responds to every request on a full disk, and refunds failed jobs after there is space [I170]',
  async () => {
    const { first, makeRoom, restarted } = await startOnSmallDisk();
    const account = await first.account({ plan: 'studio', credits: 1000 });
    const pictures = Array.from({ length: CALLS }, (_, n) => ({ prompt: `pier ${n} [[bytes:2MB]]` }));
    const answers = await Promise.all(pictures.map((body) => account.post('/images/generations', body)));
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 507]));
    const calls = [
      await account.post('/chat/completions', CHAT),
      await account.post('/audio/speech', { input: 'Hello there. '.repeat(10), voice: 'aria' }),
      await account.post('/music/generations', { style: 'slow', instrumental: true, seconds: 30, n: 1 }),
      await account.post('/storage/objects', fileForm(new Uint8Array(2_000_000))),
      await first.control('POST', '/snapshots', { name: 'full' }),
    ];
    for (const { status } of calls) expect([200, 201, 202, 507]).toContain(status);
    for (const look of ['/jobs', '/orders']) {
      expect([200, 507]).toContain((await first.control('GET', look)).status);
    }
    makeRoom();
    await account.idle();
    const refused = [...statuses, ...calls.map(({ status }) => status)].filter((status) => status === 507);
    await expectEven(account, refused.length);
    const before = await account.entries();

    const second = await restarted();
    const again = account.in(second);
    expect(await again.entries()).toEqual(before);
    await expectEven(again, CALLS + calls.length);
    expect((await second.control('POST', '/reset')).status).toBe(204);
    const fresh = await second.account({ credits: 1000 });
    expect((await fresh.post('/images/generations', pictures[0])).status).toBe(200);
    expect(await second.invariants()).toMatchObject({ ok: true });
  },
);
