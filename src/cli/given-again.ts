import type { Command } from 'commander';

/** The flags that a command line gave, as its words, but for some by name. */
export function givenAgain(command: Command, without: readonly string[]): string[] {
  return command.options.flatMap((option) => {
    const name = option.attributeName();
    const flag = option.long;
    if (!flag || without.includes(name) || command.getOptionValueSource(name) !== 'cli') return [];
    const value: unknown = command.getOptionValue(name);
    if (typeof value === 'boolean') return value === option.negate ? [] : [flag];
    return [value].flat().flatMap((each) => [flag, String(each)]);
  });
}
