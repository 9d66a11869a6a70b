import { quoted } from '../../base/errors.ts';
import { counted } from '../../base/text.ts';
import { codesComplaint } from '../../control/verdict/finding-names.ts';
import { RunFault } from '../runner/runner.ts';
import { DEVIATION_NAMES } from './deviation-table.ts';
import { isKnownKind } from './schedule.ts';
import type { SearchRun } from './search-run.ts';

/** What check and both of its parts take: their flags in camel case. */
export interface RunOptions {
  /** `60s`, `2m`, or milliseconds; 0: until nothing is left. */
  budget?: string | number;
  /** By family or name, with `*`. */
  only?: readonly string[];
  skip?: readonly string[];
  seed?: number;
  /** Runs at the same time. */
  jobs?: number;
  /** `2/4`: this machine's part of the plan. */
  shard?: string;
  /** Fields of the probe that are not compared. */
  mask?: readonly string[];
}

/** What both forms take: the flags of `svc-emulator explore` in camel case. */
export interface ExploreOptions extends RunOptions {
  /** How many deviations a schedule has at most: 1 to 3; by default 2. */
  bound?: number;
  /** How many schedules at most. */
  schedules?: number;
  /** A search that runs fewer and finds nothing has failed: 1. */
  minSchedules?: number;
  /** Ends after so many findings. */
  stopAfter?: number;
  /** Tries what the specification does not promise too. */
  beyondContract?: boolean;
  /** How long a slow answer is held at most, in seconds of real time: 10. */
  slow?: number;
  /** Deviations under which the story may fail, such as `empty_balance` or `status:*`. */
  expectFailure?: readonly string[];
  /** Codes of the verdict that are no failure, such as `paid_again`. */
  allow?: readonly string[];
  strictSpend?: boolean;
  /** A test that fails where the service refuses or fails shows nothing: it may expect success. */
  sparesRefusals?: boolean;
  /** The token of a finding: only its schedule is run. */
  replay?: string;
  /** Neither tries nor keeps earlier findings. */
  noSaved?: boolean;
}

/** Options as a search goes by them. */
export type Settings = ReturnType<typeof readSettings>;

/** Throws `RunFault` for a value that is out of range. */
export function readRunSettings(options: RunOptions, usualBudget: string) {
  const { budget = usualBudget, only = [], skip = [], seed = 1, jobs, shard = '1/1', mask = [] } = options;
  whole('seed', seed, [0, 2 ** 31 - 1]);
  if (jobs !== undefined) whole('jobs', jobs, [1, 64]);
  return { budgetMs: readBudget(budget), only, skip, seed, jobs, shard: readShard(shard), mask };
}

/** Throws `RunFault` for a value that is out of range or names nothing. */
export function readSettings(options: ExploreOptions, usual: { jobs: number }) {
  const { expectFailure: expected = [], allow: allowed = [] } = options;
  const { only, skip, seed, jobs = usual.jobs, ...run } = readRunSettings(options, '60s');
  for (const kind of [...only, ...skip]) requireKind(kind);
  for (const pattern of expected) requireKind(pattern.split(' at ')[0] ?? '');
  for (const code of allowed) requireCode(code);
  const bound = whole('bound', options.bound ?? 2, [1, 3]);
  return {
    ...run,
    jobs,
    search: { bound, only, skip, seed, beyondContract: options.beyondContract ?? false },
    schedules: options.schedules === undefined ? undefined : whole('schedules', options.schedules, [1, 1_000_000]),
    minSchedules: whole('min-schedules', options.minSchedules ?? 1, [1, 1_000_000]),
    stopAfter: options.stopAfter === undefined ? undefined : whole('stop-after', options.stopAfter, [1, 1000]),
    slowMs: within('slow', options.slow ?? 10, [0.1, 600]) * 1000,
    expected,
    allowed,
    strictSpend: options.strictSpend ?? false,
    sparesRefusals: options.sparesRefusals ?? false,
  };
}

const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

function readBudget(budget: string | number): number {
  if (budget === 0 || budget === '0') return 0;
  if (typeof budget === 'number' && Number.isFinite(budget) && budget > 0) return budget;
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(String(budget)) ?? [];
  const milliseconds = Number(amount) * (UNITS[unit] ?? Number.NaN);
  if (milliseconds > 0) return milliseconds;
  throw new RunFault(`--budget is ${budget}; expected a span such as 30s, 5m or 500ms, or 0 for no end.`);
}

function readShard(text: string): { index: number; of: number } {
  const [, index, of] = /^(\d{1,4})\/(\d{1,4})$/.exec(text)?.map(Number) ?? [];
  if (index && of && index <= of) return { index, of };
  throw new RunFault(`--shard is ${text}; expected I/N with I from 1 to N, such as 1/4.`);
}

function whole(flag: string, value: number, [least, most]: readonly [number, number]): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new RunFault(`--${flag} is ${value}; expected a whole number from ${least} to ${most}.`);
}

function within(flag: string, value: number, [least, most]: readonly [number, number]): number {
  if (value >= least && value <= most) return value;
  throw new RunFault(`--${flag} is ${value}; expected a number from ${least} to ${most}.`);
}

function requireKind(kind: string): void {
  if (kind !== '' && isKnownKind(kind)) return;
  throw new RunFault(`There is no deviation ${quoted(kind)}. There are: ${DEVIATION_NAMES.join(', ')}.`);
}

function requireCode(code: string): void {
  const complaint = codesComplaint([code]);
  if (complaint !== undefined) throw new RunFault(complaint);
}

type SearchEnded = Pick<SearchRun, 'result' | 'preparedMs'>;

/**
 * Why a search that found nothing says nothing: it has run fewer schedules than `--min-schedules` asks for. Undefined
 * where it has found something, or run enough.
 */
export function shortfallOf(ended: SearchEnded, settings: Settings): string | undefined {
  const { schedules_run: run, findings } = ended.result;
  const { minSchedules } = settings;
  if (findings.length > 0 || run >= minSchedules) return undefined;
  const ran = run === 0 ? 'No scenario was tried' : `Only ${counted(run, 'scenario')} of ${minSchedules} were tried`;
  return `${ran}: ${reasonOf(ended, settings)}`;
}

function reasonOf({ result, preparedMs }: SearchEnded, { budgetMs, schedules }: Settings): string {
  const { schedules_run: run, schedules_left: left } = result;
  if (left === 0 && run === 0) return 'the run has no step at which --only, --skip and --shard leave something to try.';
  if (left === 0) return 'there are no more with these options. Ask for fewer with --min-schedules.';
  if (run >= (schedules ?? Number.POSITIVE_INFINITY)) return `--schedules is ${schedules}. Raise it.`;
  return `baseline runs took ${inSeconds(preparedMs)} of ${inSeconds(budgetMs)} s. Give a longer --budget, or run fewer tests.`;
}

function inSeconds(ms: number): string {
  return String(ms < 10_000 ? Math.round(ms / 100) / 10 : Math.round(ms / 1000));
}
