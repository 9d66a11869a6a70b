import path from 'node:path';
import { z } from 'zod';
import { ConfigError, flagOf } from '../../base/config/config.ts';
import { readPlainFile } from '../../base/config/plain-file.ts';
import { fixtureFolder } from '../../base/package/fixture-folder.ts';
import { PAID_WORK, type PaidOperation } from './paid-work.ts';

/** The profile that comes with the emulator, by its name. */
const READY_MADE = 'production';
/** The longest that a profile may ask for, in seconds: an hour. */
const LONGEST = 3600;

const seconds = z.number().min(0).max(LONGEST);
/** Optional fields of both forms of a row: `first_token` is when the first piece of a streamed chat is sent. */
const beside = {
  first_token: seconds.optional(),
  failure_rate: z.number().min(0).max(1).optional(),
  code: z
    .string()
    .regex(/^[a-z0-9_]{1,64}$/)
    .optional(),
};
const even = z
  .strictObject({ min: seconds, max: seconds, ...beside })
  .refine(({ min, max }) => min <= max, { path: ['max'], error: 'max must not be below min' });
const skewed = z
  .strictObject({ p50: seconds.positive(), p95: seconds.positive(), ...beside })
  .refine(({ p50, p95 }) => p50 <= p95, { path: ['p95'], error: 'p95 must not be below p50' });

/** Seconds: evenly between two bounds, or half of all below p50 and 19 in 20 below p95. */
const row = z.unknown().transform((given, context) => {
  const isEven = typeof given === 'object' && given !== null && ('min' in given || 'max' in given);
  const read = (isEven ? even : skewed).safeParse(given);
  if (read.success) return read.data;
  for (const { path: at, message } of read.error.issues) {
    context.addIssue({ code: 'custom', path: [...at], message });
  }
  return z.NEVER;
});

const operationNames = Object.keys(PAID_WORK) as [PaidOperation, ...PaidOperation[]];

/** The shape of a latency profile. */
const profileFile = z.strictObject({
  /** A comment. */
  about: z.string().optional(),
  operations: z.partialRecord(z.enum(operationNames), row).optional(),
  /** These win over the operation's row. */
  models: z.record(z.string(), row).optional(),
});

export type ProfileFile = z.output<typeof profileFile>;
export type LatencyRow = z.output<typeof even> | z.output<typeof skewed>;

/**
 * Reads `--profile`: the name of the ready-made one, or the path of a file. Throws `ConfigError` that names file and field.
 * A model that the catalogue does not have is an error of a file, not of the ready-made profile.
 */
export function readProfile(profile: string, isModel: (id: string) => boolean): ProfileFile {
  if (profile === READY_MADE) {
    return parse(path.join(fixtureFolder(), 'profiles', `${READY_MADE}.json`));
  }
  const file = path.resolve(profile);
  const read = parse(file);
  const stranger = Object.keys(read.models ?? {}).find((id) => !isModel(id));
  if (stranger === undefined) return read;
  throw broken(file, `models.${stranger}: there is no such model; GET /v1/models lists them`);
}

function parse(file: string): ProfileFile {
  const read = profileFile.safeParse(json(file));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const field = issue?.path.join('.') || 'the whole';
  throw broken(file, `${field}: ${issue?.message ?? 'not understood'}`);
}

function json(file: string): unknown {
  try {
    return JSON.parse(readPlainFile(file));
  } catch (error) {
    throw broken(file, error instanceof Error ? error.message : 'it cannot be read');
  }
}

function broken(file: string, fault: string): ConfigError {
  return new ConfigError(
    `${flagOf('profile')} names ${file}, which is no latency profile: ${fault}. Mend it, or use ${READY_MADE}.`,
  );
}
