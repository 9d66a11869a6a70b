import { connect } from 'node:net';
import type { Clock } from '../../base/clock/clock.ts';
import { pause } from '../../base/clock/waits.ts';
import { lastLines, type PrintedLines } from '../../base/output/printed-lines.ts';
import { type KillableApp, RunFault } from './runner.ts';
import { ShellProcess } from './shell-process.ts';

interface AppOptions {
  command: string;
  /** The URL that answers 2xx when it is ready; else it is once it listens on its port, or has printed a line. */
  ready: string | undefined;
  port: number;
  env: NodeJS.ProcessEnv;
  clock: Clock;
  /** Takes down what it prints, each time that it is started. */
  printed: PrintedLines;
}

/** What an app may take to get ready. */
const READY_LIMIT_MS = 20_000;
const LOOK_AGAIN_MS = 8;

/** The app that runs beside a story: killed and started again as often as a schedule says. */
export class AppProcess implements KillableApp {
  readonly #options: AppOptions;
  #process: ShellProcess | undefined;
  #output = '';
  #isUp = false;
  /** The end of what was killed last. */
  #gone: Promise<void> | undefined;

  constructor(options: AppOptions) {
    this.#options = options;
  }

  /** Starts it; resolves when it is ready. Throws `RunFault` where it does not get so. */
  async start(): Promise<void> {
    const { command, env, clock, printed } = this.#options;
    const running = new ShellProcess(command, { env });
    running.onOutput((from, text) => printed.hear(from, text));
    this.#isUp = false;
    this.#process = running;
    const end = clock.real() + READY_LIMIT_MS;
    while (clock.real() < end && (running.isRunning || this.#process !== running)) {
      // Killed while it got ready: the run that killed it starts it again, which is awaited.
      if (this.#process !== running && this.#isUp) return;
      if (this.#process === running && (await this.#isReady(running))) {
        this.#isUp = true;
        return;
      }
      await pause(clock, LOOK_AGAIN_MS);
    }
    if (this.#process !== running) return;
    const { output, isRunning } = running;
    await this.kill();
    const what = isRunning ? `did not get ready within ${READY_LIMIT_MS / 1000} s` : 'ended before it was ready';
    const said = output.trim() === '' ? 'It printed nothing.' : `It printed:\n${lastLines(output, 10)}`;
    throw new RunFault(`The app of --start (${command}) ${what}. ${said}`);
  }

  /** Killed by two at once it is started by one of them, and waited for by both. */
  async restart(): Promise<void> {
    const { clock } = this.#options;
    if (!this.#process) return this.start();
    const end = clock.real() + READY_LIMIT_MS;
    while (this.#process && !this.#isUp && clock.real() < end) await pause(clock, LOOK_AGAIN_MS);
  }

  async kill(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    if (running) this.#gone = this.#ended(running);
    await this.#gone;
  }

  async #ended(running: ShellProcess): Promise<void> {
    await running.kill();
    this.#output = (this.#output + running.output).slice(-8000);
  }

  /** The last of what it has printed, each time that it was started. */
  get output(): string {
    return this.#output + (this.#process?.output ?? '');
  }

  async #isReady(running: ShellProcess): Promise<boolean> {
    const { ready, port } = this.#options;
    if (ready !== undefined) return answersWell(ready);
    return running.stdout.includes('\n') || (await listens({ host: '127.0.0.1', port }));
  }
}

/** Asks only where something listens: an app that starts is looked at often, and a connection is cheaper than a request. */
async function answersWell(url: string): Promise<boolean> {
  if (!(await listens(addressOf(url)))) return false;
  try {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

interface Address {
  host: string;
  port: number;
}

function addressOf(url: string): Address {
  const { protocol, hostname, port } = new URL(url);
  const usual = protocol === 'https:' ? 443 : 80;
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? usual : Number(port) };
}

function listens(address: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    const end = (found: boolean) => {
      socket.destroy();
      resolve(found);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
