import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { CheckReport } from '../../../src/check/report.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { commandHere } from '../../support/command-here.ts';
import { runCommand } from '../../support/run-command.ts';

/** What a test of the suite does with the status of its message: 0 if no response came. */
type More = (turn: { at: number; status: number; ask(): Promise<number> }) => Promise<void> | void;

export interface PackedSuite {
  folder: string;
  command: readonly string[];
  runs: number;
}

/** Six tests that send a message. */
export async function packedSuite(more: More): Promise<PackedSuite> {
  const suite: PackedSuite = { folder: emptyFolder(), command: [], runs: 0 };
  const words = await commandHere(async (run) => {
    suite.runs += 1;
    for (let at = 1; at <= 6; at += 1) {
      await run.test(`returns ${at}`, async (key) => {
        const ask = async () => (await run.chat(key).catch(() => ({ status: 0 }))).status;
        await more({ at, status: await ask(), ask });
      });
    }
  });
  return Object.assign(suite, { command: ['--', ...words] });
}

export async function checked({ folder, command }: PackedSuite, ...options: readonly string[]) {
  const line = ['check', '--budget', '0', '--jobs', '2', '--report', 'found.json', ...options, ...command];
  const ended = await runCommand(line, {}, folder);
  return { ...ended, report: reportIn(folder) };
}

export function reportIn(folder: string): CheckReport {
  return JSON.parse(readFileSync(path.join(folder, 'found.json'), 'utf8'));
}
