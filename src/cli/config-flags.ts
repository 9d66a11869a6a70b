import type { Command } from 'commander';
import { Option } from 'commander';
import { flagOf, type OptionName } from '../config/config.ts';
import { type Option as ConfigOption, OPTIONS } from '../config/config-options.ts';

/** Gives a command the flags of these options, with their help. */
export function addFlags(command: Command, names: readonly OptionName[]): Command {
  for (const name of names) command.addOption(flag(flagOf(name), OPTIONS[name]));
  return command;
}

function flag(long: string, row: ConfigOption): Option {
  const option = new Option(row.argument ? `${long} <${row.argument}>` : long, helpOf(row));
  if (!row.repeatable) return option;
  return option.argParser((value: string, earlier: string[] = []) => [...earlier, value]);
}

function helpOf({ argument, fallback, repeatable, help }: ConfigOption): string {
  if (repeatable) return `${help} (repeatable)`;
  return argument && fallback ? `${help} (default: ${fallback})` : help;
}
