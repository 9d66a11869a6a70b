import { distinct, groupBy } from '../base/text.ts';
import { sharedFixKey } from './findings.ts';
import { FAILED_ONCE, RUN_ERROR_EXIT_CODES } from './make-report.ts';
import type { CheckReport, Finding, ReportedCheck } from './report.ts';
import { CannotRunError } from './runner/runner.ts';
import { decodeToken } from './token.ts';

/** Throws `CannotRunError` unless the reports are of all shards of one run, each once. */
export function mergeReports(reports: readonly CheckReport[]): CheckReport {
  const first = requireSameRun(reports);
  const findings = [
    ...groupBy(
      reports.flatMap((report) => report.findings),
      causeOf,
    ).values(),
  ].flatMap(joined);
  const worst = RUN_ERROR_EXIT_CODES.flatMap((exit) => reports.find((report) => report.exit === exit) ?? [])[0];
  const counts = reports.map(({ measured }) => measured);
  const seconds = Math.max(...counts.map((each) => each.seconds));
  return {
    ...first,
    shard: { i: 1, n: 1 },
    exit: worst?.exit ?? Math.max(...reports.map(({ exit }) => exit)),
    ...(worst?.error !== undefined && { error: worst.error }),
    measured: { planned: sumOf(counts, 'planned'), run: sumOf(counts, 'run'), seconds },
    checks: first.checks.map((check, at) => {
      const own = reports.flatMap((report) => report.checks[at] ?? []);
      return mergeStates(
        own,
        findings.filter((finding) => finding.check === check.id),
        check,
      );
    }),
    findings,
    expects_success: distinct(
      reports.flatMap((report) => report.expects_success),
      ({ fault }) => fault,
    ),
    dead_tests: [...new Set(reports.flatMap((report) => report.dead_tests))],
  };
}

function mergeStates(
  own: readonly ReportedCheck[],
  findings: readonly Finding[],
  { id }: ReportedCheck,
): ReportedCheck {
  const counts = (id === 'spend-unchanged' ? own.slice(0, 1) : own).map((each) => each.tried);
  const tried = { run: sumOf(counts, 'run'), of: sumOf(counts, 'of') };
  const base = { id, tried, findings: findings.map(({ token }) => token) };
  const of = (state: ReportedCheck['state']) => own.find((each) => each.state === state);
  const isFailed = findings.some(({ state }) => state === 'new');
  const shown = isFailed
    ? own.find(({ why }) => why?.startsWith(FAILED_ONCE))
    : (of('not_tested') ?? of('passed') ?? of('not_applicable'));
  const { state = 'not_applicable', why, next } = shown ?? {};
  return {
    ...base,
    state: isFailed ? 'failed' : state,
    ...(why !== undefined && { why }),
    ...(next !== undefined && { next }),
  };
}

function sumOf<Field extends string>(all: readonly Record<Field, number>[], field: Field): number {
  return all.reduce((total, each) => total + each[field], 0);
}

const EQUAL_IN_ALL_SHARDS: Readonly<Record<string, (report: CheckReport) => string>> = {
  version: ({ version }) => version,
  command: ({ command }) => command,
  seed: ({ seed }) => String(seed),
  commit: ({ commit }) => (commit ? `${commit.id}${commit.clean ? '' : ' with changes'}` : 'none'),
  'number of shards': ({ shard }) => String(shard.n),
};

function requireSameRun(reports: readonly CheckReport[]): CheckReport {
  const [first, ...rest] = reports;
  if (!first) throw new CannotRunError('There is no report to merge.');
  for (const [field, of] of Object.entries(EQUAL_IN_ALL_SHARDS)) {
    const other = rest.find((each) => of(each) !== of(first));
    if (other) {
      throw new CannotRunError(
        `The reports belong to different runs: the ${field} is ${of(first)} in one and ${of(other)} in another.`,
      );
    }
  }
  requireEachShard(reports, first.shard.n);
  return first;
}

function requireEachShard(reports: readonly CheckReport[], n: number): void {
  for (let i = 1; i <= n; i += 1) {
    const { length } = reports.filter(({ shard }) => shard.i === i);
    if (length === 0)
      throw new CannotRunError(`The report of shard ${i}/${n} is missing. Give the reports of all shards.`);
    if (length > 1) throw new CannotRunError(`Shard ${i}/${n} is there ${length} times. Give each report once.`);
  }
}

function causeOf(finding: Finding): string {
  const { check, title, test, advice, token } = finding;
  const scene = decodeToken(token)?.scene;
  return advice !== undefined && scene?.kind === 'fault'
    ? sharedFixKey(finding, scene.faults)
    : `${check} ${title} ${test?.name}`;
}

function joined([head, ...others]: readonly Finding[]): Finding[] {
  if (!head) return [];
  const tokens = [...head.also, ...others.flatMap(({ token, also }) => [token, ...also])];
  return [{ ...head, also: [...new Set(tokens)].filter((token) => token !== head.token) }];
}
