import type { z } from 'zod';
import { nearestName } from '../text.ts';
import { ConfigError } from './config-error.ts';
import { type FileOptions, findConfigFile, readConfigFile } from './config-file.ts';
import { OPTIONS, type Option } from './config-options.ts';

export { ConfigError };

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

/**
 * Options win over environment variables, these over the config file, that over `usual`, and this over the defaults that
 * `start` has; an empty variable is as none.
 * The sole reader of `process.env`. A caller that gives an environment gets only the config file that is named, if one is.
 * Throws `ConfigError`.
 */
export function readConfig(
  options: ConfigOptions = {},
  given?: NodeJS.ProcessEnv,
  usual: Partial<Record<OptionName, string>> = {},
): Config {
  const env = given ?? process.env;
  refuseUnknown(env);
  const file = fileOptions(options.config ?? env[variableOf('config')], given === undefined);
  const settled = optionNames().map((name) => {
    const { source, value = usual[name] } = met(name, { options, env, file });
    return [name, settle(OPTIONS[name], source, value)];
  });
  return Object.freeze(Object.fromEntries(settled));
}

/** The config file that gives an option, where neither an option nor a variable does. Throws `ConfigError`. */
export function configFileOf(name: OptionName, options: ConfigOptions): string | undefined {
  const { env } = process;
  const file = fileOptions(options.config ?? env[variableOf('config')], true);
  const isGiven = options[name] !== undefined || Boolean(env[variableOf(name)]);
  return isGiven || file?.values[name] === undefined ? undefined : file.file;
}

interface Sources {
  options: Readonly<Record<string, unknown>>;
  env: NodeJS.ProcessEnv;
  file: FileOptions | undefined;
}

/** Read by the Python client. */
const OTHERS: readonly string[] = ['SVC_EMULATOR_COMMAND'];

/** A misspelt variable would be as none. Throws `ConfigError` [I233]. */
function refuseUnknown(env: NodeJS.ProcessEnv): void {
  const known = [...optionNames().map(variableOf), ...OTHERS];
  const unknown = Object.keys(env).find((name) => name.startsWith('SVC_EMULATOR_') && !known.includes(name));
  if (unknown === undefined) return;
  throw new ConfigError(
    `The environment has ${unknown.slice(0, 80)}; there is no such variable. Did you mean ${nearestName(unknown, known)}?`,
  );
}

/** The given value of an option, and where it was given. */
function met(name: OptionName, { options, env, file }: Sources): { source: string; value: unknown } {
  const variable = variableOf(name);
  const filed = file?.values[name] ?? undefined;
  const rows = [
    { source: flagOf(name), value: options[name] },
    { source: variable, value: env[variable] || undefined },
    { source: `"${name}" in ${file?.file}`, value: filed },
  ];
  return rows.find(({ value }) => value !== undefined) ?? { source: variable, value: undefined };
}

function fileOptions(named: string | undefined, isLookedFor: boolean): FileOptions | undefined {
  if (named) {
    const source = `${flagOf('config')} (${variableOf('config')})`;
    return readConfigFile(String(settle(OPTIONS.config, source, named)));
  }
  return isLookedFor ? findConfigFile() : undefined;
}

export function optionNames(): OptionName[] {
  return Object.keys(OPTIONS) as OptionName[];
}

/** Where `svc-emulator exec` has started an emulator for this process, if it has. */
export function runningEmulator(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return env.SVC_BASE_URL || undefined;
}

/** The control token of that one. */
export function runningToken(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return env[variableOf('controlToken')] || undefined;
}

const LOOPBACK = ['127.0.0.1', 'localhost', '::1'];

/** The variables by which programs reach loopback past a proxy: those of the environment, with this machine added. */
export function pastProxies(env: NodeJS.ProcessEnv = process.env): { NO_PROXY: string; no_proxy: string } {
  const given = [env.no_proxy, env.NO_PROXY].flatMap((list) => list?.split(/[\s,]+/).filter(Boolean) ?? []);
  // Programs honour a star only if it is alone.
  const hosts = given.includes('*') ? '*' : [...new Set([...given, ...LOOPBACK])].join(',');
  return { NO_PROXY: hosts, no_proxy: hosts };
}

/** The same for this process, whose tests call an emulator that it starts. */
export function passProxies(): void {
  Object.assign(process.env, pastProxies());
}

/** Whether `svc-emulator check` runs this process again and again: its fixtures write no files then. */
export function isChecked(env: NodeJS.ProcessEnv = process.env): boolean {
  return env.SVC_CHECK === '1';
}

/** Why a check cannot start here: each run of the one around it would start one of its own; undefined if it can. */
export function nestingFault(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (!isChecked(env)) return undefined;
  return 'This is a run of check, and check inside it would start in every one of its runs: skip it if SVC_CHECK is 1.';
}

/** Where an emulator that this process starts asks which rules it is to break, and reports that. */
export function mutationUrl(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return env.SVC_CHECK_URL || undefined;
}

/** Whether fixtures are asked to report their tests, with accounts and outcomes. */
export function reportsUnits(env: NodeJS.ProcessEnv = process.env): boolean {
  return env.SVC_UNITS === '1' || isChecked(env);
}

/** `maxDisk` is `--max-disk`; what is on by itself is switched off, as by `--no-warm`. */
export function flagOf(name: OptionName): string {
  const { negated }: Option = OPTIONS[name];
  return `--${negated ? 'no-' : ''}${spaced(name, '-')}`;
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
