import { quoted } from '../base/errors.ts';
import { nearestName } from '../base/text.ts';
import { LIBERTIES, lieRow } from '../control/lies/lie-table.ts';
import { DEVIATION_NAMES } from './app/deviation-table.ts';
import { type ExploreOptions, type RunOptions, readSettings } from './app/explore-settings.ts';
import { isKnownKind } from './app/schedule.ts';
import { type Replay, readToken } from './app/token.ts';
import { PARTS, type PartName } from './check-report.ts';
import { RunFault } from './runner/runner.ts';
import { STATEMENTS } from './statements.ts';
import { readMin } from './tests/gates.ts';
import { isLie, type MutateOptions, NAMES_OF_LIES, readMutateSettings } from './tests/mutate-settings.ts';
import { readLieToken } from './tests/plan.ts';

/** What all forms take: the flags of `svc-emulator check` in camel case. */
export interface CheckOptions
  extends RunOptions,
    Pick<ExploreOptions, 'expectFailure' | 'allow'>,
    Pick<MutateOptions, 'all'> {
  /** Statements that must be held: `1,2,5`. */
  require?: readonly (string | number)[];
  /** `money=90`. */
  min?: readonly string[];
  maxBrittle?: number;
  /** The token of one finding, which alone is run. */
  again?: string;
}

/** Options as a run goes by them. */
export type CheckSettings = ReturnType<typeof readCheckSettings>;

const USUAL_BUDGET = '5m';
/** The share of the budget in which something new is begun. */
const BEGINS_WITHIN = 0.9;

/** Throws `RunFault` for a value that is out of range, and for a name or pattern that can match nothing. */
export function readCheckSettings(
  options: CheckOptions,
  { parts, jobs, version }: { parts: readonly PartName[]; jobs: number; version: string },
) {
  const { only = [], skip = [], expectFailure = [], allow, all, budget = USUAL_BUDGET, again, shard, mask } = options;
  const alone = again === undefined ? undefined : readAgain(again, version);
  for (const name of [...only, ...skip]) requireKnown(name);
  for (const pattern of expectFailure) requireDeviation(pattern.split(' at ')[0] ?? '');
  const seed = alone?.replay?.seed ?? alone?.seed ?? options.seed;
  const common = { budget, seed, jobs: options.jobs, shard, mask };
  const ofApp = { only: only.filter(isKnownKind), skip: skip.filter(isKnownKind), expectFailure, allow };
  const ofTests = { only: only.filter(isLie), skip: skip.filter(isLie), all, ...alone?.tests };
  // Statement 14 is of what the specification does not promise.
  const app = readSettings({ ...common, ...ofApp, beyondContract: true }, { jobs });
  const tests = readMutateSettings({ ...common, ...ofTests });
  const { budgetMs } = app;
  // What is under way then is still to be confirmed.
  const begins = budgetMs * BEGINS_WITHIN;
  const isLeftOut = (own: readonly string[]) => !alone && only.length > 0 && own.length === 0;
  return {
    parts: alone?.parts ?? parts,
    app: { ...app, budgetMs: begins },
    tests: { ...tests, budgetMs: begins },
    replay: alone?.replay,
    /** Of the whole run; 0: no end. */
    budgetMs,
    /** `--only` names nothing of it. */
    isLeftOut: { app: isLeftOut(ofApp.only), tests: isLeftOut(ofTests.only) },
    isNarrowed: only.length + skip.length > 0 || alone !== undefined,
    require: (options.require ?? []).map(readStatement),
    min: readMin(options.min ?? []),
    maxBrittle: options.maxBrittle ?? 0,
  };
}

/** What a token brings back. */
interface AloneParts {
  parts: readonly PartName[];
  replay?: Replay;
  seed?: number;
  tests?: { lie: string } | { only: readonly string[] };
}

function readAgain(token: string, version: string): AloneParts {
  const replay = readToken(token);
  const lie = readLieToken(token);
  const known = replay ?? lie;
  if (known && known.version !== version) {
    throw new RunFault(`The token is of version ${known.version}; this is ${version}. Check again with this version.`);
  }
  if (replay) return { parts: ['app'], replay };
  if (lie) return { parts: ['tests'], seed: lie.seed, tests: tested(lie.key) };
  const isName = lieRow(token.split(/[@:]/)[0] ?? '') !== undefined;
  if (isName) return { parts: ['tests'], tests: tested(token) };
  const part = PARTS.find((each) => token.startsWith(`${each}:`));
  if (part) return { parts: [part] };
  throw new RunFault(`--again is ${token.slice(0, 60)}; expected a token that a finding was reported with.`);
}

function tested(key: string): { lie: string } | { only: readonly string[] } {
  return LIBERTIES.some((name) => name === key) ? { only: [key] } : { lie: key };
}

function readStatement(value: string | number): number {
  const id = Number(value);
  if (STATEMENTS.some((row) => row.id === id)) return id;
  throw new RunFault(`--require is ${String(value).slice(0, 40)}; expected statements by number, such as 1,2,5.`);
}

function requireKnown(pattern: string): void {
  if (pattern !== '' && (isKnownKind(pattern) || isLie(pattern))) return;
  const nearest = nearestName(pattern, [...DEVIATION_NAMES, ...NAMES_OF_LIES]);
  throw new RunFault(`Nothing is called ${quoted(pattern)}; the nearest name is ${nearest}.`);
}

function requireDeviation(pattern: string): void {
  if (pattern !== '' && isKnownKind(pattern)) return;
  const nearest = nearestName(pattern, DEVIATION_NAMES);
  throw new RunFault(`--expect-failure is ${quoted(pattern)}, which matches no deviation; the nearest is ${nearest}.`);
}
