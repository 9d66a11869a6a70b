import path from 'node:path';
import { z } from 'zod';
import { flagOf } from '../../base/config/config.ts';
import { nextSequenceNumber } from '../../base/database/id-store.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { ConfigError } from '../../base/errors.ts';
import { readPlainFile } from '../../base/files/plain-file.ts';
import { packageDataFolder } from '../../base/package/package-folder.ts';
import type { Random } from '../../base/random.ts';
import { ERROR_CODE_PATTERN, rewordIssueMessage } from '../../base/schemas.ts';
import { describeSystemError } from '../../base/system-error.ts';
import { PAID_OPERATION_TRAITS, type PaidOperation } from '../catalogue/catalogue.ts';
import type { RequestFaults } from './request-faults.ts';

/** The 95th percentile of the standard normal distribution, for drawing from p50 and p95. */
const Z95 = 1.6448536269514722;
/** The limit of a draw, in standard deviations. Without it, about one request in 1,500 would take longer. */
const MAX_Z = 3.2;

export class LatencyProfile {
  readonly #file: ProfileFile;
  readonly #random: Random;

  constructor(file: ProfileFile, random: Random) {
    this.#file = file;
    this.#random = random;
  }

  draw(
    tx: Transaction,
    accountId: string,
    work: { operation: PaidOperation; model: string | undefined; streamed?: boolean },
  ): Pick<RequestFaults, 'fail' | 'slowSeconds' | 'spreadSeconds'> {
    const { operation, model, streamed = false } = work;
    const ofModel = model === undefined ? undefined : this.#file.models?.[model];
    const row = ofModel ?? this.#file.operations?.[operation];
    if (!row) return {};
    const key = ofModel ? `latency:${model}` : `latency:${operation}`;
    const n = nextSequenceNumber(tx, accountId, key);
    const fails = this.#random.chance(accountId, `${key}:failure`, n) < (row.failure_rate ?? 0);
    return {
      ...timesOf(row, secondsAtQuantile(row, this.#random.chance(accountId, key, n)), streamed),
      ...(fails ? { fail: row.code ?? 'render_failed' } : {}),
    };
  }
}

const FIRST_SHARE = 0.2;

/** Splits the time of a stream into a delay before the first piece and the time for the other pieces [I212]. */
function timesOf(
  row: LatencyRow,
  whole: number,
  streamed: boolean,
): Pick<RequestFaults, 'slowSeconds' | 'spreadSeconds'> {
  if (!streamed) return { slowSeconds: whole };
  const first = Math.min(whole, row.first_token ?? whole * FIRST_SHARE);
  return { slowSeconds: first, spreadSeconds: whole - first };
}

export function secondsAtQuantile(row: LatencyRow, share: number): number {
  const seconds =
    'min' in row
      ? row.min + (row.max - row.min) * share
      : row.p50 * Math.exp((normalAt(share) / Z95) * Math.log(row.p95 / row.p50));
  return Math.round(seconds * 1000) / 1000;
}

/** The quantile of the standard normal distribution by Acklam's approximation, limited to ±`MAX_Z`. */
function normalAt(share: number): number {
  if (share > 0.5) return -normalAt(1 - share);
  if (share < 0.0007) return -MAX_Z;
  if (share < 0.02425) {
    const q = Math.sqrt(-2 * Math.log(share));
    return polynomial(TAIL, q) / (polynomial(TAIL_BELOW, q) * q + 1);
  }
  const q = share - 0.5;
  return (polynomial(MIDDLE, q * q) * q) / (polynomial(MIDDLE_BELOW, q * q) * q * q + 1);
}

function polynomial(coefficients: readonly number[], x: number): number {
  return coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0);
}

const MIDDLE = [
  -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716, 2.506628277459239,
];
const MIDDLE_BELOW = [-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572];
const TAIL = [
  -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
  2.938163982698783,
];
const TAIL_BELOW = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416];

const READY_MADE = 'production';
const MAX_SECONDS = 3600;

const seconds = z.number().min(0).max(MAX_SECONDS);
/** `first_token` is the time until the first piece of a streamed chat. */
const common = {
  first_token: seconds.optional(),
  failure_rate: z.number().min(0).max(1).optional(),
  code: z.string().regex(ERROR_CODE_PATTERN).optional(),
};
const even = z
  .strictObject({ min: seconds, max: seconds, ...common })
  .refine(({ min, max }) => min <= max, { path: ['max'], error: 'max must not be below min' });
const skewed = z
  .strictObject({ p50: seconds.positive(), p95: seconds.positive(), ...common })
  .refine(({ p50, p95 }) => p50 <= p95, { path: ['p95'], error: 'p95 must not be below p50' });

/** Durations in seconds: uniform from `min` to `max`, or skewed, half of them below `p50` and 95 % below `p95`. */
const row = z.unknown().transform((given, context) => {
  const isEven = typeof given === 'object' && given !== null && ('min' in given || 'max' in given);
  const read = (isEven ? even : skewed).safeParse(given);
  if (read.success) return read.data;
  for (const { path: at, message } of read.error.issues) {
    context.addIssue({ code: 'custom', path: [...at], message });
  }
  return z.NEVER;
});

const operationNames = Object.keys(PAID_OPERATION_TRAITS) as [PaidOperation, ...PaidOperation[]];

const profileFile = z.strictObject({
  about: z.string().optional(),
  operations: z.partialRecord(z.enum(operationNames), row).optional(),
  models: z.record(z.string(), row).optional(),
});

type ProfileFile = z.output<typeof profileFile>;
type LatencyRow = z.output<typeof even> | z.output<typeof skewed>;

/** Throws `ConfigError` with the file and the field. Only the built-in profile may name unknown models. */
export function readLatencyProfileFile(profile: string, isModel: (id: string) => boolean): ProfileFile {
  if (profile === READY_MADE) {
    return parse(path.join(packageDataFolder(), 'profiles', `${READY_MADE}.json`));
  }
  const file = path.resolve(profile);
  const read = parse(file);
  const stranger = Object.keys(read.models ?? {}).find((id) => !isModel(id));
  if (stranger === undefined) return read;
  throw broken(file, `models.${stranger}: not a model; GET /v1/models lists the models`);
}

function parse(file: string): ProfileFile {
  const read = profileFile.safeParse(json(file));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const field = issue?.path.length ? `${issue.path.join('.')}: ` : '';
  throw broken(file, field + rewordIssueMessage(issue?.message));
}

function json(file: string): unknown {
  try {
    return JSON.parse(readPlainFile(file));
  } catch (error) {
    throw broken(file, `${error instanceof SyntaxError ? 'it is not valid JSON: ' : ''}${describeSystemError(error)}`);
  }
}

function broken(file: string, fault: string): ConfigError {
  return new ConfigError(
    `${flagOf('profile')} is ${file}, which is not a latency profile: ${fault}. Fix it, or use ${READY_MADE}.`,
  );
}
