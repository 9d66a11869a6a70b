import { type Command, InvalidArgumentError, Option } from 'commander';
import { flagOf, type OptionName, optionNames } from '../base/config/config.ts';
import { type Option as ConfigOption, OPTIONS } from '../base/config/config-options.ts';

/** What an emulator that runs for one command decides by itself. */
export const ONE_RUN: readonly OptionName[] = ['port', 'host', 'dataDir', 'ephemeral', 'supervise'];
/** The heading of the help for the options of an emulator that runs for one command. */
export const EMULATOR = 'Emulator:';
/** The command waits for no sweep, and its output is its own. */
export const QUIET = { log: 'silent', settleAfter: '0' };

/**
 * Adds the flags of these options with their help. `defaults` replace the usual defaults. The flags are listed under
 * `heading`, or under the group of each option.
 */
export function addFlags(
  command: Command,
  names: readonly OptionName[],
  { defaults = {}, heading }: { defaults?: Partial<Record<OptionName, string>>; heading?: string } = {},
): Command {
  for (const name of names) {
    const row: ConfigOption = OPTIONS[name];
    const option = flag(flagOf(name), { ...row, fallback: defaults[name] ?? row.fallback });
    command.addOption(option.helpGroup(heading ?? `${row.group}:`));
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

/** The flags of the emulators of check: `seed` and what is of one run is decided by the command. */
export function addRunFlags(command: Command): Command {
  const names = optionNames().filter((name) => name !== 'seed' && !ONE_RUN.includes(name));
  return addFlags(command, names, { defaults: { ...QUIET, warm: 'false' }, heading: EMULATOR });
}

/** Reads a flag that is a whole number, from 0; `what` says of what. */
export function wholeNumber(what: string, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number ${what}.`);
  };
}

export function readShare(text: string): number {
  const [, percent] = /^(\d+(?:\.\d+)?)%$/.exec(text) ?? [];
  if (percent !== undefined) return Number(percent) / 100;
  throw new InvalidArgumentError('It must be a percentage, such as 10%.');
}

export function isSet(variable: string | undefined): boolean {
  return variable !== undefined && variable !== '' && variable !== 'false' && variable !== '0';
}
