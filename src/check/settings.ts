import { quoted } from '../base/errors.ts';
import type { CheckId } from './checks.ts';
import { CannotRunError } from './runner/runner.ts';
import { FaultAndCheckSelection, parseCheckIds } from './selection.ts';
import { type DecodedToken, requireToken } from './token.ts';

export interface CheckOptions {
  /** The time for the check, such as `60s`, `2m` or a number of milliseconds; 0 means no limit. Default: 5 minutes. */
  budget?: string | number;
  only?: readonly string[];
  skip?: readonly string[];
  seed?: number;
  jobs?: number;
  shard?: string;
  require?: readonly string[];
  replay?: string;
}

export interface CheckSettings {
  budgetMs: number;
  selection: FaultAndCheckSelection;
  seed: number;
  jobs: number;
  shard: { index: number; of: number };
  require: readonly CheckId[];
  replay: DecodedToken | undefined;
}

const USUAL_BUDGET = '5m';

/** Throws `CannotRunError` for an invalid value or token, or a name that matches nothing. */
export function parseCheckSettings(options: CheckOptions, { jobs, version }: { jobs: number; version: string }) {
  const { budget = USUAL_BUDGET, shard = '1/1', require = [] } = options;
  const replay = options.replay === undefined ? undefined : requireToken(options.replay, version);
  const seed = replay?.seed ?? whole('seed', options.seed ?? 1, [0, 2 ** 31 - 1]);
  return {
    budgetMs: readBudget(budget),
    selection: new FaultAndCheckSelection(options),
    seed,
    jobs: whole('jobs', options.jobs ?? jobs, [1, 64]),
    shard: readShard(shard),
    require: parseCheckIds(require),
    replay,
  } satisfies CheckSettings;
}

const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

function readBudget(budget: string | number): number {
  if (budget === 0 || budget === '0') return 0;
  if (typeof budget === 'number' && Number.isFinite(budget) && budget > 0) return budget;
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(String(budget)) ?? [];
  const milliseconds = Number(amount) * (UNITS[unit] ?? Number.NaN);
  if (milliseconds > 0) return milliseconds;
  throw new CannotRunError(
    `--budget is ${quoted(String(budget))}; expected a span such as 30s, 5m or 500ms, or 0 for no end.`,
  );
}

function readShard(text: string): { index: number; of: number } {
  const [, index, of] = /^(\d{1,4})\/(\d{1,4})$/.exec(text)?.map(Number) ?? [];
  if (index && of && index <= of) return { index, of };
  throw new CannotRunError(`--shard is ${quoted(text)}; expected I/N with I from 1 to N, such as 1/4.`);
}

function whole(flag: string, value: number, [least, most]: readonly [number, number]): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new CannotRunError(`--${flag} is ${value}; expected a whole number from ${least} to ${most}.`);
}
