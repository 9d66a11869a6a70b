import { Command } from 'commander';
import { findOperation, type OperationName, sendOperation } from '../client/call-operation.ts';
import type { ControlConnection } from '../client/control-connection.ts';
import { readPlainFile } from '../config/plain-file.ts';
import { CommandEnd, EXIT } from './command-end.ts';
import { withProgress } from './progress-bar.ts';
import { print, type RemoteFlags, remoteCommand, withEmulator } from './remote.ts';

/** A record as the control surface answers it, in the field names of its JSON. */
export type Shown = Record<string, unknown>;

/** What the command line gives a verb: its argument, and its flags by their camel-case names. */
export interface Given {
  name: string;
  flags: Record<string, string | boolean | undefined>;
}

/** One verb of a command, such as `account add`: it calls one operation of the control surface. */
export interface Verb {
  verb: string;
  description: string;
  operation: OperationName | ((given: Given) => OperationName);
  /** Its one argument, such as `<id>`. */
  argument?: readonly [name: string, help: string];
  flags?: readonly (readonly [flag: string, help: string])[];
  /** The operation's input; by default the argument under the name of the path's parameter. */
  input?(given: Given, control: ControlConnection): Shown | Promise<Shown>;
  /** What is printed where the operation answers nothing, or less than its reader wants. */
  answer?(given: Given, answered: unknown): Shown | Shown[];
  /** A record for a reader, as one line or more. */
  line(record: Shown): string | readonly string[];
  /** Shown with a progress bar under this title. */
  progress?: string;
}

/** A command for one resource of a running emulator. Every verb takes `--json`. */
export function resourceCommand(name: string, description: string, verbs: readonly Verb[]): Command {
  const command = new Command(name).description(description);
  for (const verb of verbs) command.addCommand(verbCommand(verb));
  return command;
}

/** A command that is one verb by itself, such as `wait`. */
export function verbCommand(verb: Verb): Command {
  const { argument, flags = [], progress, line } = verb;
  const command = remoteCommand(verb.verb, verb.description);
  if (argument) command.argument(...argument);
  for (const [flag, help] of flags) command.option(flag, help);
  return command.action(async (...given: unknown[]) => {
    const [name, options] = argument ? given : ['', given[0]];
    const own = options as RemoteFlags & Given['flags'];
    const work = () => withEmulator(own, (control) => carryOut(verb, { name: String(name), flags: own }, control));
    const answer = await (progress === undefined ? work() : withProgress(progress, work));
    const records = Array.isArray(answer) ? answer : [answer];
    print(own, answer, ...records.flatMap(line));
  });
}

async function carryOut(verb: Verb, given: Given, control: ControlConnection): Promise<Shown | Shown[]> {
  const operation = await findOperation(typeof verb.operation === 'string' ? verb.operation : verb.operation(given));
  const [, parameter = 'id'] = /:(\w+)/.exec(operation.path) ?? [];
  const input = verb.input ? await verb.input(given, control) : verb.argument ? { [parameter]: given.name } : {};
  const answered = await sendOperation(operation, input, control.transport);
  if (verb.answer) return verb.answer(given, answered);
  const { object, data } = answered as { object?: unknown; data?: Shown[] };
  return object === 'list' && data ? data : (answered as Shown);
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

/** The record with the given id, of a resource that the control surface only lists. Throws where there is none. */
export function oneOf(answered: unknown, { name }: Given, what: string): Shown {
  const found = (answered as { data: Shown[] }).data.find(({ id }) => id === name);
  if (found) return found;
  const lists = `svc-emulator ${what.split(' ')[0]} list shows those there are.`;
  throw new CommandEnd(EXIT.failure, `There is no ${what} ${JSON.stringify(name)}; ${lists}`);
}
