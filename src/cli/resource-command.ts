import { Command } from 'commander';
import type { ControlConnection } from '../client/control-connection.ts';
import { readPlainFile } from '../config/plain-file.ts';
import { CommandEnd } from './command-end.ts';
import { EXIT } from './command-failure.ts';
import { print, type RemoteFlags, remoteCommand, withEmulator } from './remote.ts';

/** A record as the control surface answers it, in its own words. */
export type Shown = Record<string, unknown>;

/** What a verb of a resource is given on the command line: its argument, and its flags by their camel-case names. */
export interface Given {
  name: string;
  flags: Record<string, string | boolean | undefined>;
}

/** One verb of a resource: `account add`. */
export interface Verb {
  verb: string;
  description: string;
  /** Its one argument, such as `<id>`. */
  argument?: readonly [name: string, help: string];
  flags?: readonly (readonly [flag: string, help: string])[];
  act(control: ControlConnection, given: Given): Promise<Shown | Shown[]>;
  /** A record for a reader, in a line. */
  line(record: Shown): string;
}

/** A command for one resource of a running emulator, in the words of its control surface. Every verb takes `--json`. */
export function resourceCommand(name: string, description: string, verbs: readonly Verb[]): Command {
  const command = new Command(name).description(description);
  for (const verb of verbs) command.addCommand(verbCommand(verb));
  return command;
}

/** A command that is one verb by itself, such as `wait`. */
export function verbCommand({ verb, description, argument, flags = [], act, line }: Verb): Command {
  const command = remoteCommand(verb, description);
  if (argument) command.argument(...argument);
  for (const [flag, help] of flags) command.option(flag, help);
  return command.action(async (...given: unknown[]) => {
    const [name, options] = argument ? given : ['', given[0]];
    const own = options as RemoteFlags & Given['flags'];
    const answer = await withEmulator(own, (control) => act(control, { name: String(name), flags: own }));
    const records = Array.isArray(answer) ? answer : [answer];
    print(own, answer, ...records.map(line));
  });
}

/** A whole number that a flag gives; undefined where it is not given. Throws for anything else. */
export function numberOf(flags: Given['flags'], name: string): number | undefined {
  const text = flags[name];
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text !== '' && Number.isFinite(number)) return number;
  throw new CommandEnd(EXIT.wrongUse, `--${name} is ${JSON.stringify(text)}; expected a number.`);
}

/** JSON that a flag or argument gives: the text itself, or with `@` or as a path the file that holds it. */
export function jsonOf(text: string, what: string): Shown {
  const isText = /^\s*[{[]/.test(text);
  const refuse = (met: string) => {
    const given = JSON.stringify(text.slice(0, 80));
    const wanted = 'expected a JSON object, or the path of a file that holds one.';
    return new CommandEnd(EXIT.wrongUse, `${what} is ${given}, ${met}; ${wanted}`);
  };
  const json = isText ? text : readFileOf(text.replace(/^@/, ''), refuse);
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null) return value as Shown;
  } catch (error) {
    throw refuse(`${isText ? 'which' : 'whose text'} is no JSON (${Object(error).message})`);
  }
  throw refuse('which holds no object');
}

function readFileOf(file: string, refuse: (met: string) => CommandEnd): string {
  try {
    return readPlainFile(file);
  } catch (error) {
    const { code, message } = Object(error);
    if (code === 'invalid_request') throw refuse(`which cannot be read: ${message}`);
    throw refuse(code === 'ENOENT' ? 'where there is no file' : `which cannot be read (${code})`);
  }
}

/** One of a list, by its id: for what the control surface shows in its list only. Throws where it is not there. */
export async function oneOf(
  control: ControlConnection,
  { path, name, what }: { path: string; name: string; what: string },
): Promise<Shown> {
  const found = (await control.list<Shown>(path)).find(({ id }) => id === name);
  if (found) return found;
  const lists = `svc-emulator ${what.split(' ')[0]} list shows those there are.`;
  throw new CommandEnd(EXIT.failure, `There is no ${what} ${JSON.stringify(name)}; ${lists}`);
}
