import { type Command, InvalidArgumentError, Option } from 'commander';
import { flagOf, type OptionName, optionNames } from '../base/config/config.ts';
import { type Option as ConfigOption, OPTIONS } from '../base/config/config-options.ts';
import { usageError } from './process-end.ts';

export const ADDRESS_AND_FOLDER_OPTION_NAMES: readonly OptionName[] = ['port', 'host', 'dataDir', 'ephemeral'];
export const EMULATOR_OPTIONS_HEADING = 'Emulator:';
/** Nothing is logged, and a job that nobody polls becomes final as soon as it is rendered. */
export const EMBEDDED_EMULATOR_DEFAULTS = { log: 'silent', settleAfter: '0' };

/** `defaults` appear in the help only. */
export function addFlags(
  command: Command,
  names: readonly OptionName[],
  { defaults = {}, heading }: { defaults?: Partial<Record<OptionName, string>>; heading?: string } = {},
): Command {
  for (const name of names) {
    const row: ConfigOption = OPTIONS[name];
    const long = row.argument ? `${flagOf(name)} <${row.argument}>` : flagOf(name);
    const option = new Option(long, helpOf({ ...row, fallback: defaults[name] ?? row.fallback }));
    if (row.repeatable) option.argParser(appendValue);
    command.addOption(option.helpGroup(heading ?? `${row.group}:`));
    // Leaves the option undefined without its flag, because the environment or the config file may still switch it off.
    if (row.negated) command.setOptionValue(name, undefined);
  }
  return command;
}

function helpOf({ argument, fallback, repeatable, help }: ConfigOption): string {
  if (repeatable) return `${help} (repeatable)`;
  return argument && fallback ? `${help} (default: ${fallback})` : help;
}

export function appendValue(value: string, earlier: string[] = []): string[] {
  return [...earlier, value];
}

export function appendNames(value: string, earlier: string[] = []): string[] {
  return [...earlier, ...value.split(',').map((name) => name.trim())];
}

export function parseNumber(text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isFinite(number)) return number;
  throw new InvalidArgumentError('a number');
}

export function addEmulatorFlags(command: Command): Command {
  const names = optionNames().filter((name) => name !== 'seed' && !ADDRESS_AND_FOLDER_OPTION_NAMES.includes(name));
  return addFlags(command, names, {
    defaults: { ...EMBEDDED_EMULATOR_DEFAULTS, warm: 'false' },
    heading: EMULATOR_OPTIONS_HEADING,
  });
}

export function requireCompanionOptions(
  pairs: readonly (readonly [option: string, needed: string])[],
  flags: object,
  options: readonly Option[],
): void {
  const written = (name: string) => options.find((each) => each.attributeName() === name)?.flags ?? name;
  for (const [name, needed] of pairs) {
    const isLacking = Reflect.get(flags, name) !== undefined && Reflect.get(flags, needed) === undefined;
    if (isLacking) throw usageError(`${written(name).replace(/ .*/, '')} needs ${written(needed)}.`);
  }
}

export function wholeNumberParser(what: string): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number;
    throw new InvalidArgumentError(`a whole number ${what}`);
  };
}

export function parsePercentage(text: string): number {
  const [, percent] = /^(\d+(?:\.\d+)?)%$/.exec(text) ?? [];
  if (percent !== undefined) return Number(percent) / 100;
  throw new InvalidArgumentError('a percentage, such as 10%');
}

export function isTrueVariable(variable: string | undefined): boolean {
  return variable !== undefined && variable !== '' && variable !== 'false' && variable !== '0';
}
