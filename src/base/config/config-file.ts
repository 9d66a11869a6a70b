import { existsSync } from 'node:fs';
import path from 'node:path';
import { quoted } from '../errors.ts';
import { readPlainFile } from '../files/plain-file.ts';
import { nearestName } from '../text.ts';
import { OPTIONS, type Option } from './config-options.ts';

export interface FileOptions {
  file: string;
  values: Readonly<Record<string, unknown>>;
}

const CONFIG_FILE = 'svc-emulator.config.json';

const SCHEMA_KEY = '$schema';

export function findConfigFile(): FileOptions | undefined {
  return existsSync(CONFIG_FILE) ? readConfigFile(CONFIG_FILE) : undefined;
}

/** Reads a config file. Relative paths in it start at its folder. Throws `ConfigError` if it is invalid. */
export function readConfigFile(file: string): FileOptions {
  const options = parse(file);
  const folder = path.dirname(path.resolve(file));
  const values = Object.entries(options)
    .filter(([name]) => name !== SCHEMA_KEY)
    .map(([name, value]) => [name, located(optionNamed(name, file), value, folder)]);
  return { file: path.basename(file), values: Object.fromEntries(values) };
}

/** Throws `ConfigError` for an unknown option. `owner` says in the message where the name was given. */
export function optionNamed(name: string, owner: string): Option {
  const known = Object.keys(OPTIONS).filter((each) => each !== 'config');
  if (known.includes(name)) return OPTIONS[name as keyof typeof OPTIONS];
  throw new ConfigError(`${quoted(name)} in ${owner} is not an option. Did you mean "${nearestName(name, known)}"?`);
}

function located({ isPath }: Option, value: unknown, folder: string): unknown {
  return typeof value === 'string' && isPath?.(value) ? path.resolve(folder, value) : value;
}

function parse(file: string): Record<string, unknown> {
  const options = read(file);
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) {
    return { ...options };
  }
  throw new ConfigError(`${file} is ${JSON.stringify(options).slice(0, 80)}; expected a JSON object with options.`);
}

function read(file: string): unknown {
  const text = textOf(file);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`${file} is not JSON: ${Object(error).message}. Expected an object such as {"port": 4600}.`);
  }
}

function textOf(file: string): string {
  try {
    return readPlainFile(file);
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${Object(error).message}`);
  }
}

/** A fault of a file in the fixtures folder. */
export interface FileFault {
  file: string;
  line: number | null;
  /** For example `fixtures.0.match.model`. */
  field: string | null;
  message: string;
}

/** The message names file, line and field. Exit code 2. */
export class FixtureFolderBroken extends Error {
  override name = 'FixtureFolderBroken';

  constructor(folder: string, faults: readonly FileFault[]) {
    super(`--fixtures ${folder} cannot be used.\n${faults.map(faultLine).join('\n')}`);
  }
}

export class WorldBroken extends Error {
  override name = 'WorldBroken';

  constructor(file: string, line: number | null, message: string) {
    super(`--world ${file} cannot be used.\n${faultLine({ file: path.basename(file), line, message })}`);
  }
}

function faultLine({ file, line, message }: Omit<FileFault, 'field'>): string {
  return `${line === null ? file : `${file}:${line}`}: ${message}`;
}

export class ConfigError extends Error {
  override name = 'ConfigError';
}
