import type { z } from 'zod';
import { OPTIONS, type Option } from './config-options.ts';

export type OptionName = keyof typeof OPTIONS;

type Value<Name extends OptionName> = z.output<(typeof OPTIONS)[Name]['schema']>;
type Settled<Name extends OptionName> = (typeof OPTIONS)[Name] extends { fallback: string }
  ? Value<Name>
  : Value<Name> | undefined;

/**
 * What one emulator runs by, frozen. Paths are absolute, `maxDisk` is in bytes, `settleAfter` in seconds,
 * `forward` leads from the origin of a public URL to the local one that gets its webhooks.
 */
export type Config = { readonly [Name in OptionName]: Settled<Name> };

/** Options as a program or the command line gives them: values, or their text. */
export type ConfigOptions = { [Name in OptionName]?: z.input<(typeof OPTIONS)[Name]['schema']> };

/** An option that cannot be used; the message names flag or variable, the value met and what was expected. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/**
 * Options win over environment variables, these over defaults; an empty variable is as none.
 * The sole reader of `process.env`. Throws `ConfigError`.
 */
export function readConfig(
  options: ConfigOptions = {},
  env: NodeJS.ProcessEnv = process.env,
): Config {
  const given: Record<string, unknown> = { ...options };
  const settled = optionNames().map((name) => {
    const source = given[name] === undefined ? variableOf(name) : flagOf(name);
    const value = given[name] ?? (env[variableOf(name)] || undefined);
    return [name, settle(OPTIONS[name], source, value)];
  });
  return Object.freeze(Object.fromEntries(settled));
}

export function optionNames(): OptionName[] {
  return Object.keys(OPTIONS) as OptionName[];
}

/** Where `svc-emulator exec` has started an emulator for this process, if it has. */
export function runningEmulator(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return env.SVC_BASE_URL || undefined;
}

/** `maxDisk` is `--max-disk`. */
export function flagOf(name: OptionName): string {
  return `--${spaced(name, '-')}`;
}

/** `maxDisk` is `SVC_EMULATOR_MAX_DISK`. */
export function variableOf(name: OptionName): string {
  return `SVC_EMULATOR_${spaced(name, '_').toUpperCase()}`;
}

function spaced(name: OptionName, separator: string): string {
  return name.replace(/[A-Z]/g, (letter) => separator + letter.toLowerCase());
}

function settle(option: Option, source: string, value: unknown = option.fallback): unknown {
  if (value === undefined) return undefined;
  const read = option.schema.safeParse(value);
  if (read.success) return read.data;
  throw new ConfigError(`${source} is ${JSON.stringify(value)}; expected ${option.expected}.`);
}
