import { rm } from 'node:fs/promises';
import type { Transport } from '../client/call-operation.ts';
import type { AppProcess } from './app-process.ts';
import type { LieRelay } from './lie-relay.ts';
import type { PrintedLines } from './printed-lines.ts';
import type { RunContext } from './run-record.ts';
import type { LieSwitch } from './runner.ts';

/** An emulator that is this run's alone. */
export interface OpenEmulator {
  url: string;
  /** The key of its first account. */
  key: string;
  control: Transport;
  /** Of one in this process: what it tells otherwise than it is. */
  lies?: LieSwitch;
  close(): Promise<void>;
}

/** All that one run has for itself. */
export interface Sandbox {
  emulator: OpenEmulator;
  /** What its emulator, and those that the suite starts by itself, tell otherwise than it is. */
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
