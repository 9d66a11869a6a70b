import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { World } from '../support/world.ts';
import { emptyFolder, RunningProgram, startProgram } from './spawned-program.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const SCRIPT = path.join(import.meta.dirname, 'in-terminal.py');
const CTRL_C = '\u0003';

const NODE = { command: [process.execPath, 'dist/main.js', 'start'], exitCode: 0 };
/** npm's own exit code is not ours. */
const NPM = { command: ['npm', 'start', '--'], exitCode: expect.anything() };

/** Presses Ctrl-C in a terminal of its own amid a song: two takes of a minute, work enough for the key that follows at once. */
async function interrupted({ command, exitCode }: typeof NODE, flags: string[], TMPDIR: string) {
  const screen = new RunningProgram(
    spawn('python3', [SCRIPT, ...command, '--port', '0', ...flags], {
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
  expect(await screen.ended()).toEqual(exitCode);
  expectNoBug(screen.stdout);
  return { account, order: order.body as { data: { id: string }[]; usage: { credits_remaining: number } } };
}

function expectNoBug(text: string): void {
  expect(text).not.toMatch(/^\s+at |\berror\b/m);
}

it('leaves nothing of a song behind when Ctrl-C ends start --ephemeral [I150 I203]', async () => {
  const temporary = emptyFolder();
  await interrupted(NODE, ['--ephemeral'], temporary);
  expect(readdirSync(temporary).filter((name) => name.startsWith('svc-emulator'))).toEqual([]);
});

it('finishes the song that Ctrl-C cut in npm start, and refunds nothing [I150 I203]', async () => {
  const folder = emptyFolder();
  const { account, order } = await interrupted(NPM, ['--data-dir', folder], emptyFolder());
  const { program, here } = await startProgram(['--data-dir', folder]);
  for (const { id } of order.data) {
    const { body } = await here.control('GET', `/wait?for=job:${id}&timeout=120`);
    expect(body).toMatchObject({ id, status: 'succeeded' });
  }
  expect(await account.in(here).balance()).toBe(order.usage.credits_remaining);
  expect(await here.invariants()).toMatchObject({ ok: true });
  expect(await program.stop()).toBe(0);
  expectNoBug(program.stderr);
});
