import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { PrintedLines } from '../../base/output/printed-lines.ts';
import type { LieRelay, LieSwitch } from '../../client/lie-relay.ts';
import type { Transport } from '../../control/call-operation.ts';
import type { AppProcess } from './app-process.ts';
import type { RunContext } from './run-record.ts';

/** An emulator that is this run's alone. */
export interface OpenEmulator {
  url: string;
  /** The key of its first account. */
  key: string;
  control: Transport;
  /** Of one in this process: what it reports otherwise than it is. */
  lies?: LieSwitch;
  /** What counts, for whom opened it, what it charges. */
  tally?: object | undefined;
  close(): Promise<void>;
}

/** All that one run has for itself. */
export interface Sandbox {
  emulator: OpenEmulator;
  /** What its emulator, and those that the suite starts by itself, report otherwise than it is. */
  relay: LieRelay | undefined;
  context: RunContext;
  port: number;
  folder: string;
  env: NodeJS.ProcessEnv;
  app: AppProcess | undefined;
  printed: PrintedLines;
  /** When its app was first started, or it was made: milliseconds of the machine's time. */
  made: number;
}

export async function dismantle({ emulator, relay, folder }: Sandbox): Promise<void> {
  relay?.close();
  await emulator.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** A command with the port of its run. */
export function filled(text: string, { port }: Pick<Sandbox, 'port'>): string {
  return text.replaceAll('{port}', String(port));
}

/**
 * Kills what runs in an environment that has this setting, such as `SVC_EXPLORE_DIR=/tmp/svc-explore-1`: what has left
 * its process group is known by that alone. Answers how many there were; 0 where the system does not say.
 */
export function endLeft(setting: string): number {
  const left = pids().filter((pid) => pid !== process.pid && hasSetting(pid, setting));
  return left.filter(isKilled).length;
}

function pids(): number[] {
  try {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0);
  } catch {
    return [];
  }
}

function hasSetting(pid: number, setting: string): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${setting}`);
  } catch {
    // It has ended, or is another person's.
    return false;
  }
}

function isKilled(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}

/** Below the ports that systems assign to outgoing connections: one of those may be taken before its app listens. */
const FIRST = 20_000;
const COUNT = 10_000;

/** Ports for apps that are yet to start: no two the same until all have been used. */
export class FreePorts {
  /** Two searches at the same time begin at different ports. */
  #next = (process.pid * 61) % COUNT;

  /** A port on which no process listens now. */
  async next(): Promise<number> {
    for (let tries = 0; tries < COUNT; tries += 1) {
      const port = FIRST + this.#next;
      this.#next = (this.#next + 1) % COUNT;
      if (await isFree(port)) return port;
    }
    throw new Error(`No port from ${FIRST} to ${FIRST + COUNT - 1} is free.`);
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
