import { Command } from 'commander';
import { readPlainFile } from '../base/config/plain-file.ts';
import { quoted } from '../base/errors.ts';
import { type OperationName, routeOf, sendOperation } from '../control/call-operation.ts';
import type { ControlConnection } from '../control/control-connection.ts';
import { CommandEnd, EXIT } from './process-end.ts';
import { print, type RemoteFlags, remoteCommand, withEmulator } from './remote.ts';
import { withProgress } from './terminal-output.ts';

/** A record or an input of the control surface, in the field names of its JSON. */
export type Fields = Record<string, unknown>;

/** One verb of a command, such as `account add`: it calls one operation of the control surface. */
export interface Verb {
  description: string;
  operation: OperationName | ((fields: Fields) => OperationName);
  /** Its one argument, such as `<id>`, with its help: the field of that name, or what the path of the operation names. */
  argument?: readonly [word: string, help: string];
  /** Each with its help. It is the field of its name, a number or JSON by its placeholder. */
  flags?: Readonly<Record<string, string>>;
  /** The operation's input where it is not simply the fields of the argument and the flags. */
  input?(fields: Fields, control: ControlConnection): Fields | Promise<Fields>;
  /** What is printed in place of the answer. By default the answer, or the argument where there is none. */
  answer?(fields: Fields, answered: unknown): Fields;
  /** A record for a reader, as one line or more. */
  line(record: Fields): string | readonly string[];
  /** It may take more than a moment, and has a progress bar. */
  isLong?: true;
}

/** The verbs of one resource, such as `account`. */
export interface VerbGroup extends Pick<Verb, 'description' | 'line'> {
  /** `line` is that of the resource where a verb has none of its own. */
  verbs: Readonly<Record<string, Omit<Verb, 'line'> & Partial<Pick<Verb, 'line'>>>>;
}

/** A command for a running emulator: a verb by itself, or those of one resource. Every verb takes `--json`. */
export function controlCommand(name: string, of: Verb | VerbGroup): Command {
  if (!('verbs' in of)) return verbCommand(name, name, of);
  const command = new Command(name).description(of.description);
  for (const [verb, row] of Object.entries(of.verbs)) {
    command.addCommand(verbCommand(verb, `${name} ${verb}`, { line: of.line, ...row }));
  }
  return command;
}

function verbCommand(name: string, title: string, verb: Verb): Command {
  const { argument, flags = {}, isLong, line } = verb;
  const command = remoteCommand(name, verb.description);
  if (argument) command.argument(...argument);
  for (const [flag, help] of Object.entries(flags)) command.option(flag, help);
  return command.action(async (...words: unknown[]) => {
    const [given, options] = argument ? words : [undefined, words[0]];
    const own = options as RemoteFlags & Fields;
    const work = () => withEmulator(own, (control) => carryOut(verb, { argument: given, flags: own }, control));
    const answer = await (isLong ? withProgress(title, work) : work());
    const records = Array.isArray(answer) ? answer : [answer];
    print(own, answer, ...records.flatMap(line));
  });
}

async function carryOut(
  verb: Verb,
  given: { argument: unknown; flags: Fields },
  control: ControlConnection,
): Promise<Fields | Fields[]> {
  const named = argumentOf(verb, given.argument);
  const fields = { ...named, ...flagsOf(verb, given.flags) };
  const operation = typeof verb.operation === 'string' ? verb.operation : verb.operation(fields);
  const input = verb.input ? await verb.input(fields, control) : fields;
  const answered = await sendOperation(operation, input, control.transport);
  if (verb.answer) return verb.answer(fields, answered);
  const { object, data } = Object(answered) as { object?: unknown; data?: Fields[] };
  return object === 'list' && data ? data : ((answered as Fields | undefined) ?? named);
}

function argumentOf({ argument, operation }: Verb, given: unknown): Fields {
  if (!argument) return {};
  const path = typeof operation === 'string' ? routeOf(operation)[1] : '';
  const field = /:(\w+)/.exec(path)?.[1] ?? argument[0].slice(1, -1);
  return { [field]: given };
}

const NUMBERS = ['number', 'seconds', 'share'];
/** Flags whose field has another name. */
const FIELDS: Readonly<Record<string, string>> = {
  account: 'account_id',
  workspace: 'workspace_id',
  ttl: 'ttl_seconds',
};

/** The values of the flags by their fields. */
function flagsOf({ flags = {} }: Verb, given: Fields): Fields {
  return Object.fromEntries(
    Object.keys(flags).map((flag) => {
      const [, name = '', placeholder = ''] = /^--(\w+)(?: <(\w+)>)?/.exec(flag) ?? [];
      return [FIELDS[name] ?? name, readFlag(given[name], `--${name}`, placeholder)];
    }),
  );
}

/** Undefined for a flag that is left out. Throws for what is no number or no JSON, where the placeholder says so. */
function readFlag(given: unknown, flag: string, placeholder: string): unknown {
  if (given === undefined) return undefined;
  if (placeholder === 'json') return jsonOf(given, flag);
  if (!NUMBERS.includes(placeholder)) return given;
  if (given !== '' && Number.isFinite(Number(given))) return Number(given);
  throw new CommandEnd(EXIT.wrongUse, `${flag} is ${JSON.stringify(given)}; expected a number.`);
}

/** JSON that a flag or argument gives: the text itself, or with `@` or as a path the file that holds it. */
export function jsonOf(given: unknown, what: string): Fields {
  const text = String(given);
  const isText = /^\s*[{[]/.test(text);
  const refuse = (problem: string) => {
    const wanted = 'expected a JSON object, or the path of a file that holds one.';
    return new CommandEnd(EXIT.wrongUse, `${what} is ${quoted(text)}, ${problem}; ${wanted}`);
  };
  const json = isText ? text : readFileOf(text.replace(/^@/, ''), refuse);
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null) return value as Fields;
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
