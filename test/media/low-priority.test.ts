import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { cleanEnvironment } from '../support/run-clock.ts';
import { World } from '../support/world.ts';

const MAIN = path.join(import.meta.dirname, '../../dist/main.js');
const FLAGS = ['start', '--port', '0', '--ephemeral'];
/** The position of the nice value in /proc/PID/task/TID/stat, counted after the name of the thread. */
const NICE = 16;

function priorities(pid: number | undefined): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    try {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
      return [Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[NICE])];
    } catch {
      // The thread ended after the folder was read.
      return [];
    }
  });
}

it.runIf(process.platform === 'linux').each([5])(
  'renders with a nice value 5 above its own if it is started with nice -n %i',
  async (nice) => {
    const command = ['-n', String(nice), process.execPath, MAIN, ...FLAGS];
    const child = spawn('nice', command, { env: cleanEnvironment({}), stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    const emulator = new World({ url: String(line).split(' ').at(-1) ?? '' });
    const account = await emulator.account();
    expect((await account.post('/images/generations', { prompt: 'a lamp' })).status).toBe(200);
    const all = priorities(child.pid);
    const own = Math.min(19, getPriority() + nice);
    expect(Math.min(...all)).toBe(own);
    expect(Math.max(...all)).toBe(Math.min(19, own + 5));
  },
);
