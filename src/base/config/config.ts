import { existsSync } from 'node:fs';
import path from 'node:path';
import type { z } from 'zod';
import { ConfigError, quoted } from '../errors.ts';
import { readPlainFile } from '../files/plain-file.ts';
import { describeSystemError } from '../system-error.ts';
import { didYouMeanText } from '../text.ts';
import { OPTIONS, type Option } from './config-options.ts';

export type OptionName = keyof typeof OPTIONS;

type Value<Name extends OptionName> = z.output<(typeof OPTIONS)[Name]['schema']>;
type Parsed<Name extends OptionName> = (typeof OPTIONS)[Name] extends { fallback: string }
  ? Value<Name>
  : Value<Name> | undefined;

/** `maxDisk` is in bytes, `settleAfter` in seconds. `forward` maps the origins of webhook URLs to other origins. */
export type Config = { readonly [Name in OptionName]: Parsed<Name> };

export type ConfigOptions = { [Name in OptionName]?: z.input<(typeof OPTIONS)[Name]['schema']> };

/**
 * The first source that sets an option wins: `options`, environment, config file, `defaults`, the default of the
 * option. An empty variable counts as unset, as does a port variable with the URL of a container link. If `given`
 * replaces the environment, no config file is searched for. Throws `ConfigError`.
 */
export function readConfig(
  options: ConfigOptions = {},
  given?: NodeJS.ProcessEnv,
  defaults: Partial<Record<OptionName, string>> = {},
): Config {
  const env = given ?? process.env;
  const file = fileOptions(options.config ?? variableIn(env, 'config'), given === undefined);
  const parsed = optionNames().map((name) => {
    const { source, value = defaults[name] } = givenValue(name, { options, env, file });
    return [name, parseOption(OPTIONS[name], source, value)];
  });
  return Object.freeze(Object.fromEntries(parsed));
}

export function findConfigFileOfOption(name: OptionName, options: ConfigOptions): string | undefined {
  const { env } = process;
  const file = fileOptions(options.config ?? variableIn(env, 'config'), true);
  const isGiven = options[name] !== undefined || variableIn(env, name) !== undefined;
  return isGiven || file?.values[name] === undefined ? undefined : file.file;
}

interface ConfigSources {
  options: Readonly<Record<string, unknown>>;
  env: NodeJS.ProcessEnv;
  file: FileOptions | undefined;
}

function givenValue(name: OptionName, { options, env, file }: ConfigSources): { source: string; value: unknown } {
  const variable = environmentVariableOf(name);
  const filed = file?.values[name] ?? undefined;
  const rows = [
    { source: flagOf(name), value: options[name] },
    { source: variable, value: variableIn(env, name) },
    { source: `"${name}" in ${file?.file}`, value: filed },
  ];
  return rows.find(({ value }) => value !== undefined) ?? { source: variable, value: undefined };
}

function fileOptions(named: string | undefined, isLookedFor: boolean): FileOptions | undefined {
  if (named) {
    const source = `${flagOf('config')} (${environmentVariableOf('config')})`;
    return readConfigFile(String(parseOption(OPTIONS.config, source, named)));
  }
  return isLookedFor && existsSync(CONFIG_FILE) ? readConfigFile(CONFIG_FILE) : undefined;
}

function variableIn(env: NodeJS.ProcessEnv, name: OptionName): string | undefined {
  const value = env[environmentVariableOf(name)];
  return value === '' || (name === 'port' && isContainerLinkUrl(value)) ? undefined : value;
}

/** Whether the value is a URL such as `tcp://10.0.0.1:4600`, which Kubernetes and Docker links put into variables. */
export function isContainerLinkUrl(value: string | undefined): boolean {
  return /^(?:tcp|udp|sctp):\/\//.test(value ?? '');
}

export function optionNames(): OptionName[] {
  return Object.keys(OPTIONS) as OptionName[];
}

export function emulatorUrlFromEnv(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return env.SVC_BASE_URL || undefined;
}

export function controlTokenFromEnv(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return env[environmentVariableOf('controlToken')] || undefined;
}

/** `url` is the address of the emulator without /v1. */
export function sdkEnvironmentVariables({ url, key }: { url: string; key: string }): Record<string, string> {
  return { SVC_BASE_URL: url, SVC_API_KEY: key, OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key };
}

const LOOPBACK = ['127.0.0.1', 'localhost', '::1'];

export function noProxyVariables(env: NodeJS.ProcessEnv = process.env): { NO_PROXY: string; no_proxy: string } {
  const given = [env.no_proxy, env.NO_PROXY].flatMap((list) => list?.split(/[\s,]+/).filter(Boolean) ?? []);
  // Some programs accept `*` in NO_PROXY only if it is the whole list.
  const hosts = given.includes('*') ? '*' : [...new Set([...given, ...LOOPBACK])].join(',');
  return { NO_PROXY: hosts, no_proxy: hosts };
}

export function bypassProxyForLoopback(): void {
  Object.assign(process.env, noProxyVariables());
}

export function isRunOfCheck(env: NodeJS.ProcessEnv = process.env): boolean {
  return env.SVC_CHECK === '1';
}

/** The reason why `check` cannot start, or undefined. Inside a run of `check`, it would start again in each run. */
export function nestedCheckProblem(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (!isRunOfCheck(env)) return undefined;
  return 'check cannot start inside a run of check. Skip it if SVC_CHECK is 1.';
}

export function shouldReportTestsToEmulator(env: NodeJS.ProcessEnv = process.env): boolean {
  return env.SVC_REPORT_TESTS === '1' || isRunOfCheck(env);
}

export function flagOf(name: OptionName): string {
  const { negated }: Option = OPTIONS[name];
  return `--${negated ? 'no-' : ''}${spaced(name, '-')}`;
}

export function environmentVariableOf(name: OptionName): string {
  return `SVC_EMULATOR_${spaced(name, '_').toUpperCase()}`;
}

function spaced(name: OptionName, separator: string): string {
  return name.replace(/[A-Z]/g, (letter) => separator + letter.toLowerCase());
}

function parseOption(option: Option, source: string, value: unknown = option.fallback): unknown {
  if (value === undefined) return undefined;
  const read = option.schema.safeParse(value);
  if (read.success) return read.data;
  throw new ConfigError(`${source} is ${shownValue(option, value, read.error)}; expected ${option.expected}.`);
}

function shownValue({ isSecret }: Option, value: unknown, { issues: [issue] }: z.ZodError): string {
  if (isSecret) return 'not valid';
  const item = Array.isArray(value) ? value[Number(issue?.path[0] ?? 0)] : value;
  return typeof item === 'string' ? quoted(item) : JSON.stringify(item).slice(0, 80);
}

interface FileOptions {
  file: string;
  values: Readonly<Record<string, unknown>>;
}

const CONFIG_FILE = 'svc-emulator.config.json';
const SCHEMA_KEY = '$schema';

function readConfigFile(file: string): FileOptions {
  const options = parseFile(file);
  const folder = path.dirname(path.resolve(file));
  const values = Object.entries(options)
    .filter(([name]) => name !== SCHEMA_KEY)
    .map(([name, value]) => [name, located(requireKnownOption(name, file), value, folder)]);
  return { file: path.basename(file), values: Object.fromEntries(values) };
}

const OPTIONS_REMEDY = ' svc-emulator start --help lists the options.';

/** Throws `ConfigError` for an unknown option or `config`. `owner` says in the message where the name was given. */
export function requireKnownOption(name: string, owner: string): Option {
  const known: string[] = optionNames().filter((each) => each !== 'config');
  if (known.includes(name)) return OPTIONS[name as OptionName];
  throw new ConfigError(
    `${quoted(name)} in ${owner} is not an option.${didYouMeanText(name, known) || OPTIONS_REMEDY}`,
  );
}

function located({ isPath }: Option, value: unknown, folder: string): unknown {
  return typeof value === 'string' && isPath?.(value) ? path.resolve(folder, value) : value;
}

function parseFile(file: string): Record<string, unknown> {
  const options = readJson(file);
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) {
    return { ...options };
  }
  throw new ConfigError(`${file} is ${JSON.stringify(options).slice(0, 80)}; expected a JSON object with options.`);
}

function readJson(file: string): unknown {
  const text = fileText(file);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`${file} is not JSON: ${Object(error).message}. Expected an object such as {"port": 4600}.`);
  }
}

function fileText(file: string): string {
  try {
    return readPlainFile(file);
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${describeSystemError(error)}.`);
  }
}

export interface FixtureFileProblem {
  file: string;
  line: number | null;
  field: string | null;
  message: string;
}

export class FixtureFolderError extends Error {
  override name = 'FixtureFolderError';

  constructor(folder: string, faults: readonly FixtureFileProblem[]) {
    super(`--fixtures ${folder} cannot be used.\n${faults.map(faultLine).join('\n')}`);
  }
}

export class WorldFileError extends Error {
  override name = 'WorldFileError';

  constructor(file: string, line: number | null, message: string) {
    super(`--world ${file} cannot be used.\n${faultLine({ file: path.basename(file), line, message })}`);
  }
}

function faultLine({ file, line, message }: Omit<FixtureFileProblem, 'field'>): string {
  return `${line === null ? file : `${file}:${line}`}: ${message}`;
}
