import { Command } from 'commander';
import { readPlainFile } from '../base/config/plain-file.ts';
import { quoted } from '../base/errors.ts';
import { type OperationName, routeOf, sendOperation } from '../control/call-operation.ts';
import type { ControlConnection } from '../control/control-connection.ts';
import { CommandEnd, EXIT } from './process-end.ts';
import { print, type RemoteFlags, remoteCommand, withEmulator } from './remote.ts';
import { withProgress } from './terminal-output.ts';

/** A record as the control surface answers it, in the field names of its JSON. */
export type Shown = Record<string, unknown>;

/** What the command line gives a verb: its argument, and its flags by their camel-case names. */
export interface VerbWords {
  name: string;
  flags: Record<string, string | boolean | undefined>;
}

/** An argument or a flag with its help, and the field of the operation's input that it is, unless that has its name. */
type Word = readonly [word: string, help: string, field?: string];

/** One verb of a command, such as `account add`: it calls one operation of the control surface. */
export interface Verb {
  verb: string;
  description: string;
  operation: OperationName | ((words: VerbWords) => OperationName);
  /** Its one argument, such as `<id>`: by default the parameter of the operation's path. */
  argument?: Word;
  flags?: readonly Word[];
  /** The operation's input where it is not simply the argument and the flags. */
  input?(words: VerbWords, control: ControlConnection): Shown | Promise<Shown>;
  /** What is printed in place of the answer. By default the answer, or the argument where there is none. */
  answer?(words: VerbWords, answered: unknown): Shown | Shown[];
  /** A record for a reader, as one line or more. */
  line(record: Shown): string | readonly string[];
  /** Shown with a progress bar under this title. */
  progress?: string;
}

/** The verbs of one resource, such as `account`. */
export interface VerbGroup {
  description: string;
  verbs: readonly Verb[];
}

/** A command for a running emulator: a verb by itself, or those of one resource. Every verb takes `--json`. */
export function controlCommand(name: string, of: Verb | VerbGroup): Command {
  if (!('verbs' in of)) return verbCommand(of);
  const command = new Command(name).description(of.description);
  for (const verb of of.verbs) command.addCommand(verbCommand(verb));
  return command;
}

function verbCommand(verb: Verb): Command {
  const { argument, flags = [], progress, line } = verb;
  const command = remoteCommand(verb.verb, verb.description);
  if (argument) command.argument(argument[0], argument[1]);
  for (const [flag, help] of flags) command.option(flag, help);
  return command.action(async (...words: unknown[]) => {
    const [name, options] = argument ? words : ['', words[0]];
    const own = options as RemoteFlags & VerbWords['flags'];
    const work = () => withEmulator(own, (control) => carryOut(verb, { name: String(name), flags: own }, control));
    const answer = await (progress === undefined ? work() : withProgress(progress, work));
    const records = Array.isArray(answer) ? answer : [answer];
    print(own, answer, ...records.flatMap(line));
  });
}

async function carryOut(verb: Verb, words: VerbWords, control: ControlConnection): Promise<Shown | Shown[]> {
  const operation = typeof verb.operation === 'string' ? verb.operation : verb.operation(words);
  const named = argumentOf(verb, operation, words);
  const input = verb.input ? await verb.input(words, control) : { ...named, ...flagsOf(verb, words) };
  const answered = await sendOperation(operation, input, control.transport);
  if (verb.answer) return verb.answer(words, answered);
  const { object, data } = Object(answered) as { object?: unknown; data?: Shown[] };
  return object === 'list' && data ? data : ((answered as Shown | undefined) ?? named);
}

function argumentOf({ argument }: Verb, operation: OperationName, { name }: VerbWords): Shown {
  if (!argument) return {};
  const [, parameter] = /:(\w+)/.exec(routeOf(operation)[1]) ?? [];
  const [word, , field = parameter ?? word.slice(1, -1)] = argument;
  return { [field]: name };
}

/** The values of the flags by their fields: numbers and JSON by the placeholder of the flag. */
function flagsOf({ flags = [] }: Verb, words: VerbWords): Shown {
  return Object.fromEntries(
    flags.map(([flag, , field]) => {
      const [, name = '', placeholder = ''] = /^--(\w+)(?: <(\w+)>)?/.exec(flag) ?? [];
      const value = words.flags[name];
      if (NUMBERS.includes(placeholder)) return [field ?? name, numberOf(words.flags, name)];
      const isJson = placeholder === 'json' && value !== undefined;
      return [field ?? name, isJson ? jsonOf(String(value), `--${name}`) : value];
    }),
  );
}

const NUMBERS = ['number', 'seconds', 'share'];

/** A whole number that a flag gives; undefined where it is left out. Throws for anything else. */
export function numberOf(flags: VerbWords['flags'], name: string): number | undefined {
  const text = flags[name];
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text !== '' && Number.isFinite(number)) return number;
  throw new CommandEnd(EXIT.wrongUse, `--${name} is ${JSON.stringify(text)}; expected a number.`);
}

/** JSON that a flag or argument gives: the text itself, or with `@` or as a path the file that holds it. */
export function jsonOf(text: string, what: string): Shown {
  const isText = /^\s*[{[]/.test(text);
  const refuse = (problem: string) => {
    const given = quoted(text);
    const wanted = 'expected a JSON object, or the path of a file that holds one.';
    return new CommandEnd(EXIT.wrongUse, `${what} is ${given}, ${problem}; ${wanted}`);
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

function readFileOf(file: string, refuse: (problem: string) => CommandEnd): string {
  try {
    return readPlainFile(file);
  } catch (error) {
    const { code, message } = Object(error);
    if (code === 'invalid_request') throw refuse(`which cannot be read: ${message}`);
    throw refuse(code === 'ENOENT' ? 'where there is no file' : `which cannot be read (${code})`);
  }
}

/** The record with the given id, of a resource that the control surface only lists. Throws where there is none. */
export function oneOf(answered: unknown, { name }: VerbWords, what: string): Shown {
  const found = (answered as { data: Shown[] }).data.find(({ id }) => id === name);
  if (found) return found;
  const lists = `svc-emulator ${what.split(' ')[0]} list shows those there are.`;
  throw new CommandEnd(EXIT.failure, `There is no ${what} ${JSON.stringify(name)}; ${lists}`);
}
