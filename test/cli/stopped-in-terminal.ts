import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { balance, emptyFolder, startProgram } from './spawned-program.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const SCRIPT = path.join(import.meta.dirname, 'in-terminal.py');
const KEY = { authorization: 'Bearer svc_sk_local_emulator' };
const CTRL_C = '\u0003';

/** `node dist/main.js start` ends with 0; npm's own exit code is not ours. */
export const STARTS = [
  { how: 'node dist/main.js start', command: [process.execPath, 'dist/main.js', 'start'], exitCode: 0 },
  { how: 'npm start', command: ['npm', 'start', '--'], exitCode: undefined },
];

interface Order {
  data: { id: string }[];
  usage: { credits_remaining: number };
}

/** Presses Ctrl-C amid a song and looks at what is left: nothing, and no trace of a bug on the screen. */
export async function stopEphemeral({ command, exitCode }: (typeof STARTS)[number]): Promise<void> {
  const temporary = emptyFolder();
  const screen = new Screen([...command, '--port', '0', '--ephemeral'], temporary);
  await orderSong(await screen.ready());
  const ended = await screen.interrupt();
  if (exitCode !== undefined) expect(ended).toBe(exitCode);
  expectNoBug(screen.text);
  expect(readdirSync(temporary).filter((name) => name.startsWith('svc-emulator'))).toEqual([]);
}

/** The same where the folder stays: the song is finished by then or after the next start, and stays paid. */
export async function stopWithFolder({ command, exitCode }: (typeof STARTS)[number]): Promise<void> {
  const folder = emptyFolder();
  const flags = ['--port', '0', '--data-dir', folder];
  const screen = new Screen([...command, ...flags], emptyFolder());
  const order = await orderSong(await screen.ready());
  const ended = await screen.interrupt();
  if (exitCode !== undefined) expect(ended).toBe(exitCode);
  expectNoBug(screen.text);
  const { program, url } = await startProgram(['--data-dir', folder]);
  for (const id of order.jobs) {
    expect(await control(url, `/wait?for=job:${id}&timeout=30`)).toMatchObject({ id, status: 'succeeded' });
  }
  expect(await balance(url)).toBe(order.balance);
  expect(await control(url, '/invariants')).toMatchObject({ ok: true });
  expect(await program.stop()).toBe(0);
  expectNoBug(program.stderr);
}

function expectNoBug(text: string): void {
  expect(text).not.toMatch(/^\s+at |\berror\b/m);
}

/** Two takes of a minute: work enough to be amid it at the key that follows at once. */
async function orderSong(url: string): Promise<{ jobs: string[]; balance: number }> {
  const answer = await fetch(`${url}/v1/music/generations`, {
    method: 'POST',
    headers: { ...KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'A slow song of the sea', seconds: 60 }),
  });
  expect(answer.status).toBe(202);
  const { data, usage } = (await answer.json()) as Order;
  return { jobs: data.map(({ id }) => id), balance: usage.credits_remaining };
}

async function control(url: string, where: string): Promise<unknown> {
  return (await fetch(`${url}/_emulator${where}`)).json();
}

/** A command in a terminal of its own. */
class Screen {
  readonly #child: ChildProcess;
  text = '';

  constructor(command: readonly string[], temporary: string) {
    this.#child = spawn('python3', [SCRIPT, ...command], {
      cwd: ROOT,
      env: { ...process.env, TMPDIR: temporary },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child.stdout?.on('data', (text) => {
      this.text += text;
    });
    onTestFinished(() => void this.#child.kill('SIGKILL'));
  }

  async ready(): Promise<string> {
    for (;;) {
      const url = /ready on (\S+)\s/.exec(this.text)?.[1];
      if (url) return url;
      if (this.#child.exitCode !== null || !this.#child.stdout) throw new Error(`Ended early: ${this.text}`);
      await Promise.race([once(this.#child.stdout, 'data'), once(this.#child, 'exit')]);
    }
  }

  /** Presses Ctrl-C; answers the exit code. */
  async interrupt(): Promise<number | null> {
    const closed = once(this.#child, 'close');
    this.#child.stdin?.write(CTRL_C);
    await closed;
    return this.#child.exitCode;
  }
}
