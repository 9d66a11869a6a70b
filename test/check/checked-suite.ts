import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { CheckReport } from '../../src/check/report.ts';

const CLIENT_FILE = 'small-client.cjs';
/** What the suites import: their processes end soon. */
export const SMALL_CLIENT = { [CLIENT_FILE]: readFileSync(path.join(import.meta.dirname, CLIENT_FILE), 'utf8') };
export const SMALL_HEAD = `import { assert, balance, call, chat, test } from './${CLIENT_FILE}';\n`;
export const SMALL_COMMAND = [process.execPath, 'suite.mjs'];

/** The ids of the checks in a state. */
export function idsIn({ checks }: CheckReport, state: string): string[] {
  return checks.filter((check) => check.state === state).map(({ id }) => id);
}
