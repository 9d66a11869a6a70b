import type { Command } from 'commander';
import { quoted } from '../base/errors.ts';
import { countWithNoun, didYouMeanText, joinedWithOr } from '../base/text.ts';
import { usageError } from './process-end.ts';

type Wording = (found: RegExpExecArray, command: Command) => string;

const WORDINGS: readonly [RegExp, Wording][] = [
  [/^error: unknown command '(.*)'$/s, ([, name = ''], { commands }) => unknownCommand(name, commands)],
  [/^error: unknown option '(.*)'$/s, ([, flag = ''], command) => unknownOption(flag, command)],
  [/^error: too many arguments for /, (_, command) => surplusArgument(command)],
  [/^error: option '([^']+)' argument (.*)$/s, ([, flags = '', fault = '']) => wrongValue(flags, fault)],
  [/^error: missing required argument '(.*)'$/, ([, name = ''], command) => missingArgument(name, command)],
];

export function formatUsageError(text: string, command: Command, line: string): string {
  for (const [pattern, wording] of WORDINGS) {
    const found = pattern.exec(text.trimEnd());
    if (found) return `svc-emulator: ${wording(found, command)} See ${line} --help.\n`;
  }
  return text.replace(/^error: /, 'svc-emulator: ');
}

/**
 * `flags` is, for example, `--port <number>`; `fault` is `missing`, or `'x' is invalid. ` followed by the accepted
 * values.
 */
function wrongValue(flags: string, fault: string): string {
  const [flag] = flags.split(' ');
  if (fault === 'missing') return `${flag} needs a value: ${flags}.`;
  const at = fault.lastIndexOf(INVALID);
  const [given, expected] = [fault.slice(1, at), fault.slice(at + INVALID.length)];
  if (!expected.startsWith(CHOICES)) return `${flag} is ${quoted(given)}; expected ${expected}.`;
  const choices = expected.slice(CHOICES.length, -1).split(', ');
  return `${flag} is ${quoted(given)}; expected ${joinedWithOr(choices)}.${didYouMeanText(given, choices)}`;
}

const INVALID = "' is invalid. ";
const CHOICES = 'Allowed choices are ';

function unknownCommand(name: string, commands: readonly Command[]): string {
  const known = commands.map((each) => each.name());
  return `There is no command ${quoted(name)}.${didYouMeanText(name, known)}`;
}

function unknownOption(flag: string, command: Command): string {
  const [name = ''] = flag.split('=');
  const known = command.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []));
  if (name !== flag && known.includes(name)) return `${name} takes no value; write ${name} alone.`;
  const close = didYouMeanText(name, known);
  const [program] = command.args;
  const isForeign = close === '' && runsCommand(command) && program !== undefined && !program.startsWith('-');
  const remedy = isForeign ? ` If it belongs to ${program}, write ${AFTER}.` : close;
  return `There is no option ${quoted(name)}.${remedy}`;
}

const AFTER = 'the command after --, as in -- npm test';

function runsCommand(command: Command): boolean {
  return command.usage().includes(' -- ');
}

function surplusArgument(command: Command): string {
  const { length } = command.registeredArguments;
  const takes = length === 0 ? 'no argument' : countWithNoun(length, 'argument');
  return `${quoted(command.args[length] ?? '')} is one argument too many: ${command.name()} takes ${takes}.`;
}

function missingArgument(name: string, command: Command): string {
  if (runsCommand(command)) return `The command is missing. Write ${AFTER}.`;
  const described = command.registeredArguments.find((each) => each.name() === name)?.description;
  return `<${name}> is missing; expected ${described}.`;
}

/** Rejects a flag that lacks its value before `--`, because the parser would take `--` as the value. */
export function rejectFlagWithoutValue(args: readonly string[], { options }: Command): void {
  const last = args[args.indexOf('--') - 1];
  const option = options.find(({ long, required }) => required && long === last);
  if (option) throw usageError(`${last} needs a value: ${option.flags}.`);
}
