import { createInterface } from 'node:readline/promises';
import { readPlainFile } from '../base/config/plain-file.ts';
import { affordable } from '../check/service/budget.ts';
import { spellsKey } from '../check/service/key-guard.ts';
import { PAID } from '../check/service/plan.ts';
import { isAllowed } from '../check/service/send-request.ts';
import { readShapes, type ShapesFile } from '../check/service/shapes.ts';
import { CommandEnd, EXIT } from './process-end.ts';

/** What the command was given. */
export interface DriftFlags {
  against?: string;
  keyEnv?: string;
  keyFile?: string;
  budget?: number;
  plan?: boolean;
  pace?: number;
  strict?: boolean;
  shapes?: string;
  check?: string;
  from?: string;
  used?: string;
  report?: string[];
}

/** Throws `CommandEnd` unless there is one thing to compare with, and what belongs to another is left out. */
export function requireOneSource({ against, check, from, keyEnv, keyFile, budget, shapes }: DriftFlags): void {
  if ([against, check, from].filter((each) => each !== undefined).length !== 1) {
    throw new CommandEnd(
      EXIT.wrongUse,
      'Give what to compare with, one of --against URL, --check FILE and --from FILE.',
    );
  }
  if (against !== undefined) return;
  if (keyEnv !== undefined || keyFile !== undefined || budget !== undefined || shapes !== undefined) {
    throw new CommandEnd(EXIT.wrongUse, '--key-env, --key-file, --budget and --shapes are for --against URL.');
  }
}

/** The base of all paths, without a slash at its end, and without the `/v1` that clients are given. */
export function requireAddress(against = ''): string {
  if (!isAllowed(against)) {
    const shown = URL.canParse(against) ? new URL(against).origin : 'no URL';
    throw new CommandEnd(EXIT.wrongUse, `--against is ${shown}; expected an https URL, or one of this machine.`);
  }
  const { origin, pathname, username, password, search } = new URL(against);
  if (username !== '' || password !== '' || search !== '') {
    throw new CommandEnd(EXIT.wrongUse, '--against has a user or a query; give the key by --key-env or --key-file.');
  }
  const steps = pathname.split('/').filter((step) => step !== '');
  if (steps.at(-1) === 'v1') steps.pop();
  return [origin, ...steps].join('/');
}

/** Throws `CommandEnd` for an address that spells the key: it is in every report. */
export function requireKeyless(against: string, key: string): void {
  if (spellsKey(against, key)) throw new CommandEnd(EXIT.wrongUse, '--against has the API key in it; leave it out.');
}

/** The key, which is never on the command line. */
export function requireKey({ keyEnv, keyFile }: DriftFlags): string {
  if ((keyEnv === undefined) === (keyFile === undefined)) {
    throw new CommandEnd(EXIT.wrongUse, 'Give the API key by --key-env NAME or by --key-file FILE, one of them.');
  }
  const key = keyEnv === undefined ? requireFile('--key-file', keyFile ?? '').trim() : (process.env[keyEnv] ?? '');
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  const where = keyEnv === undefined ? `the file ${keyFile}` : `the variable ${keyEnv}`;
  throw new CommandEnd(EXIT.wrongUse, `There is no API key in ${where}; expected one line of printable characters.`);
}

/** The text of a file that a flag names. */
export function requireFile(flag: string, file: string): string {
  try {
    return readPlainFile(file);
  } catch (error) {
    throw new CommandEnd(EXIT.wrongUse, `${flag} is ${file}, which cannot be read: ${Object(error).message}`);
  }
}

/** A terminal is asked before a credit is spent; without one `--budget` is the consent. */
export async function requireConsent(url: string, budget: number): Promise<void> {
  const { sum } = affordable(PAID, [], budget);
  if (sum === 0 || !process.stdin.isTTY || !process.stderr.isTTY) return;
  const answer = await asked(`About ${sum} credits, at most ${budget}, of ${url} will be spent. Go on? [y/N] `);
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new CommandEnd(EXIT.wrongUse, 'Nothing was sent.');
}

/** The line that is typed; empty where the terminal is closed instead, as by Ctrl-D or Ctrl-C. */
async function asked(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  const answer = await Promise.race([terminal.question(question).catch(() => ''), closed]);
  terminal.close();
  return answer;
}

/** The shapes of the file of `--check`. */
export function requireShapes(file: string): ShapesFile {
  const text = requireFile('--check', file);
  try {
    return readShapes(text);
  } catch (error) {
    throw new CommandEnd(EXIT.wrongUse, `--check is ${file}: ${Object(error).message}.`);
  }
}
