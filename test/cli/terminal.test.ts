import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { World } from '../support/world.ts';
import { emptyFolder, RunningProgram } from './spawned-program.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const SCRIPT = path.join(import.meta.dirname, 'in-terminal.py');
const CTRL_C = '\u0003';

/** Presses Ctrl-C in a terminal of its own amid a song: two takes of a minute, work enough for the key that follows at once. */
async function interrupted(TMPDIR: string): Promise<void> {
  const screen = new RunningProgram(
    spawn('python3', [SCRIPT, process.execPath, 'dist/main.js', 'start', '--port', '0', '--ephemeral'], {
      cwd: ROOT,
      env: { ...process.env, TMPDIR },
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  // A bar that shows how far the start is may stand before it.
  const url = await screen.heard('stdout', (text) => /ready on (\S+)\s/.exec(text)?.[1]);
  const account = await new World({ url }).first();
  const order = await account.post('/music/generations', { prompt: 'A slow song of the sea', seconds: 60 });
  expect(order.status).toBe(202);
  screen.child.stdin?.write(CTRL_C);
  expect(await screen.ended()).toBe(0);
  expect(screen.stdout).not.toMatch(/^\s+at |\berror\b/m);
}

it('leaves nothing of a song behind when Ctrl-C ends start --ephemeral [I150 I203]', async () => {
  const temporary = emptyFolder();
  await interrupted(temporary);
  expect(readdirSync(temporary).filter((name) => name.startsWith('svc-emulator'))).toEqual([]);
});
