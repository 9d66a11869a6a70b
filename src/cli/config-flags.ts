import { Command, InvalidArgumentError, Option } from 'commander';
import { flagOf, type OptionName, optionNames } from '../base/config/config.ts';
import { type Option as ConfigOption, OPTIONS } from '../base/config/config-options.ts';

/** What an emulator that runs for one command decides by itself. */
export const ONE_RUN: readonly OptionName[] = ['port', 'host', 'dataDir', 'ephemeral', 'supervise'];
/** The command waits for no sweep, and its output is its own. */
export const QUIET = { log: 'silent', settleAfter: '0' };

/** Gives a command the flags of these options, with their help; `usual` are the defaults that it has otherwise. */
export function addFlags(
  command: Command,
  names: readonly OptionName[],
  usual: Partial<Record<OptionName, string>> = {},
): Command {
  for (const name of names) {
    const row: ConfigOption = OPTIONS[name];
    command.addOption(flag(flagOf(name), { ...row, fallback: usual[name] ?? row.fallback }));
    // What no flag switches off may still be switched off by the environment or the config file.
    if (row.negated) command.setOptionValue(name, undefined);
  }
  return command;
}

function flag(long: string, row: ConfigOption): Option {
  const option = new Option(row.argument ? `${long} <${row.argument}>` : long, helpOf(row));
  if (!row.repeatable) return option;
  return option.argParser(gathered);
}

function helpOf({ argument, fallback, repeatable, help }: ConfigOption): string {
  if (repeatable) return `${help} (repeatable)`;
  return argument && fallback ? `${help} (default: ${fallback})` : help;
}

/** Reads a flag that may be given several times: all of its values, in their order. */
export function gathered(value: string, earlier: string[] = []): string[] {
  return [...earlier, value];
}

/** The same for names, of which one value may hold several with commas between. */
export function gatheredNames(value: string, earlier: string[] = []): string[] {
  return [...earlier, ...value.split(',').map((name) => name.trim())];
}

/** Reads a flag that is a number. */
export function readNumber(text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isFinite(number)) return number;
  throw new InvalidArgumentError('It must be a number.');
}

type Reading = (text: string, earlier: string[] | undefined) => unknown;

/** What check, explore and mutate have in common. */
const SEARCH_FLAGS = {
  start: ['--start <command>', 'an app that runs beside the command, and is killed and started again'],
  ready: ['--ready <url>', 'the address that answers 2xx when the app is ready'],
  probe: ['--probe <command>', "prints the app's own state as JSON at the end of each run"],
  mask: ['--mask <key>', 'a field of the probe that is not compared (repeatable)', gathered],
  assert: ['--assert <command>', 'decides at the end of each run; the account is on its standard input'],
  check: ['--check <command>', 'decides at the end of each run; the account is on its standard input'],
  budget: ['--budget <span>', 'how long it goes on, such as 90s or 10m; 0: until nothing is left (default: 5m)'],
  only: ['--only <name>', 'tries these names or families alone; with * (repeatable, or with commas)', gatheredNames],
  skip: ['--skip <name>', 'leaves these out (repeatable, or with commas)', gatheredNames],
  all: ['--all', 'tries lies of content and form too, beside money, security and work'],
  slow: ['--slow <seconds>', 'how long a slow answer is held at most (default: 10)', readNumber],
  seed: ['--seed <number>', 'makes keys, names and the order repeatable (default: 1)', readNumber],
  jobs: ['--jobs <number>', 'runs at the same time (default: cores)', readNumber],
  shard: ['--shard <I/N>', "this machine's part of the plan"],
  expectFailure: ['--expect-failure <pattern>', 'the tests may fail under this deviation (repeatable)', gathered],
  allow: ['--allow <code>', 'lets a code of the verdict pass, such as paid_again (repeatable)', gathered],
  min: ['--min <family=n>', 'ends with 1 where fewer in a hundred were caught, as money=90 (repeatable)', gathered],
  maxBrittle: ['--max-brittle <number>', 'how many tests may fail under what the contract allows', readNumber],
  baseline: ['--baseline <file>', 'what is known from before, or accepted; what is new ends with 1'],
  updateBaseline: ['--update-baseline', 'writes the baseline anew'],
  report: ['--report <file>', 'writes the report: .json, .html, .md, .xml (JUnit) or .sarif (repeatable)', gathered],
} satisfies Record<string, readonly [flag: string, help: string, read?: Reading]>;

/** Gives a command these flags. */
export function addSearchFlags(command: Command, names: readonly (keyof typeof SEARCH_FLAGS)[]): Command {
  for (const name of names) {
    const [flag, help, read]: readonly [string, string, Reading?] = SEARCH_FLAGS[name];
    if (read) command.option(flag, help, read as (text: string, earlier: unknown) => unknown);
    else command.option(flag, help);
  }
  return command;
}

/** `merge FILE…` of a command: one report of the JSON reports of all shards, held to what `addGates` adds. */
export function mergeCommand(
  addGates: (command: Command) => Command,
  merge: (files: string[], flags: object) => Promise<void>,
): Command {
  const command = new Command('merge')
    .description('make one report of the JSON reports of all shards, and judge it')
    .argument('<file...>', 'JSON reports of one run');
  // The command above it may have the same flags, and takes them wherever they are written.
  return addGates(command).action((files) => merge(files, command.optsWithGlobals()));
}

/** The flags of the emulators of such runs: `seed` and what is of one run is decided by the command. */
export function addRunFlags(command: Command): Command {
  const names = optionNames().filter((name) => !['seed', 'https'].includes(name) && !ONE_RUN.includes(name));
  return addFlags(command, names, { ...QUIET, warm: 'false' });
}

/** Reads a flag that is a whole number, from 0; `what` says of what. */
export function wholeNumber(what: string, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number ${what}.`);
  };
}

/** Of at least one. */
export function readRepeat(text: string): number {
  const number = wholeNumber('of runs')(text);
  if (number > 0) return number;
  throw new InvalidArgumentError('It must be a whole number of runs, from 1.');
}

export function readShare(text: string): number {
  const [, percent] = /^(\d+(?:\.\d+)?)%$/.exec(text) ?? [];
  if (percent !== undefined) return Number(percent) / 100;
  throw new InvalidArgumentError('It must be a percentage, such as 10%.');
}

export function isSet(variable: string | undefined): boolean {
  return variable !== undefined && variable !== '' && variable !== 'false' && variable !== '0';
}
