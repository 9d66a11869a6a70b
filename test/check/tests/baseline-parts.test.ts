import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { mergeMutateReports } from '../../../src/check/merge-reports.ts';
import {
  type BaselineFile,
  EMPTY_BASELINE,
  knownOf,
  lastSurvivors,
  makeBaseline,
  rememberedOf,
  unchangedUnits,
} from '../../../src/check/tests/baseline.ts';
import { wasTriedBy } from '../../../src/check/tests/gates.ts';
import { NOT_RUN_ALONE } from '../../../src/check/tests/judge-attempt.ts';
import { NOTHING_MEASURED, reportedUnit } from '../../../src/check/tests/measurement.ts';
import { type MutateReport, mutateReport, type ReportedLie } from '../../../src/check/tests/mutate-report.ts';
import { readMutateSettings } from '../../../src/check/tests/mutate-settings.ts';
import { pairKey, planPairs, type Unit } from '../../../src/check/tests/plan.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';

const SITE = 'POST /v1/chat/completions';

function row(lie: string, verdict: ReportedLie['verdict'], unit = 'pays', family = 'money'): ReportedLie {
  return { lie, family, site: SITE, unit, verdict, harm: false };
}

/** A test in a file of its own, which meets these lies. */
function unitOf(name: string, lies: readonly string[], text = 'assert.equal(spent, 1);'): Unit {
  const file = path.join(emptyFolder(), `${name}.test.mjs`);
  writeFileSync(file, text);
  const sites = lies.map((lie) => ({ lie, site: SITE }));
  return { ...{ unit: name, name, file, isWhole: false, exclusive: false, ms: 1, requests: 1 }, sites, seen: ['chat'] };
}

function reportOf(
  lies: ReportedLie[],
  { units = [], unreached = [] }: { units?: readonly Unit[]; unreached?: MutateReport['unreached'] } = {},
): MutateReport {
  const named = { version: '2', command: 'npm test', seed: 1 };
  return { ...named, ...NOTHING_MEASURED, units: units.map(reportedUnit), lies, unreached };
}

function baselineOf(report: MutateReport): BaselineFile {
  const before = { ...EMPTY_BASELINE, version: '1' };
  return makeBaseline(report, { before, hasTried: () => true });
}

it('keeps what was not run when a part is measured anew, and counts it', () => {
  const accepted = [{ lie: 'event.none', unit: 'pays', why: 'Jobs are read.' }];
  const lies = [
    row('spent.zero', 'noticed'),
    row('charge.none', 'noticed'),
    row('event.none', 'survived', 'pays', 'work'),
  ];
  const before = { ...baselineOf(reportOf(lies)), accepted };
  const report = reportOf([row('spent.zero', 'survived')]);
  const made = makeBaseline(report, { before, hasTried: ({ lie }) => lie === 'spent.zero' });
  expect(made.lies.map(({ lie, verdict }) => [lie, verdict])).toEqual([
    ['spent.zero', 'survived'],
    ['charge.none', 'noticed'],
    ['event.none', 'survived'],
  ]);
  expect(made.families).toEqual({ money: { told: 2, noticed: 1 }, work: { told: 1, noticed: 0 } });
  expect(made).toMatchObject({ version: '2', accepted });
});

it('forgets what was asked for and is met by nothing any more', () => {
  const before = baselineOf(reportOf([row('spent.zero', 'noticed'), row('charge.none', 'survived')]));
  const made = makeBaseline(reportOf([row('spent.zero', 'noticed')]), { before, hasTried: () => true });
  expect(made.lies.map(({ lie }) => lie)).toEqual(['spent.zero']);
});

it('measures again what it kept of a test that was changed since', () => {
  const lies = ['spent.zero', 'charge.none'];
  const unit = unitOf('pays', lies);
  const noticed = lies.map((lie) => row(lie, 'noticed'));
  const before = baselineOf(reportOf(noticed, { units: [unit] }));
  const changed = { ...unitOf('pays', lies, '// nothing'), file: unit.file };
  writeFileSync(String(unit.file), '// nothing');
  const hasTried = ({ lie }: { lie: string }) => lie === 'spent.zero';
  const made = makeBaseline(reportOf([row('spent.zero', 'survived')], { units: [changed] }), { before, hasTried });
  expect(made.units).toEqual(before.units);
  expect(remembered(made, [changed])).toEqual([]);
});

/** The keys of what a baseline knows, on a day on which all of it is remembered. */
function remembered(baseline: BaselineFile, units: readonly Unit[]): string[] {
  const pairs = planPairs(units, readMutateSettings({}), new Set());
  const days = ['2027-01-01', '2027-01-02', '2027-01-03'];
  const unchanged = unchangedUnits(baseline, units);
  return [...new Set(days.flatMap((day) => [...rememberedOf(baseline, pairs, { seed: 1, day, unchanged }).keys()]))];
}

it('remembers no notice of a test that is gone', () => {
  const [pays, looks] = [unitOf('pays', ['spent.zero']), unitOf('looks', ['spent.zero'])];
  const baseline = baselineOf(reportOf([row('spent.zero', 'noticed')], { units: [pays, looks] }));
  expect(remembered(baseline, [pays, looks])).toEqual([`spent.zero@${SITE}`]);
  expect(remembered(baseline, [looks])).toEqual([]);
});

it('takes of a merged report for tried what its shards had asked for and had time for', () => {
  const wasTried = wasTriedBy(
    reportOf([row('spent.zero', 'noticed')], {
      unreached: [
        { lie: 'chat.empty', why: 'skipped' },
        { lie: 'refund.none', why: 'no such road' },
        { lie: `charge.none@${SITE}`, why: 'left (budget)' },
      ],
    }),
  );
  const tried = ['spent.zero', 'chat.empty', 'refund.none', 'charge.none'].map((lie) => wasTried({ lie, site: SITE }));
  expect(tried).toEqual([true, false, true, false]);
});

it('remembers of a merged report what its shards have measured, but no test that one of them saw otherwise', () => {
  const [pays, looks] = [unitOf('pays', ['spent.zero']), unitOf('looks', ['charge.none'])];
  const shards = [
    reportOf([row('spent.zero', 'noticed')], { units: [pays, looks] }),
    reportOf([row('charge.none', 'noticed', 'looks')], { units: [pays, { ...looks, seen: ['another chat'] }] }),
  ];
  const made = baselineOf(mergeMutateReports(shards));
  expect(Object.keys(made.units)).toEqual(['pays']);
  expect(remembered(made, [pays, looks])).toEqual([`spent.zero@${SITE}`]);
  writeFileSync(String(pays.file), '// nothing');
  expect(remembered(made, [pays, looks])).toEqual([]);
});

it('tries the survivors of last time before all else', () => {
  const unit = unitOf('pays', ['refund.none', 'key.any', 'event.none', 'seed.same']);
  const lies = [row('refund.none', 'noticed'), row('seed.same', 'survived', 'pays', 'work'), row('key.any', 'noticed')];
  const first = lastSurvivors(baselineOf(reportOf(lies)));
  const order = planPairs([unit], readMutateSettings({}), first).map(pairKey);
  expect(order).toEqual(['seed.same', 'refund.none', 'key.any', 'event.none'].map((lie) => `${lie}@${SITE}`));
});

it('knows of a test that has not changed what it noticed, and what survived in it alone', () => {
  const unit = unitOf('pays', ['spent.zero', 'charge.none', 'refund.none']);
  const packed = { ...row('charge.none', 'survived'), output: NOT_RUN_ALONE };
  const baseline = baselineOf(
    reportOf([row('spent.zero', 'noticed'), packed, row('refund.none', 'survived')], { units: [unit] }),
  );
  const pairs = planPairs([unit], readMutateSettings({}), new Set());
  const known = () => {
    const of = knownOf(baseline, unchangedUnits(baseline, [unit]));
    return Object.fromEntries(pairs.map((pair) => [pair.lie, of(pair, unit)]));
  };
  expect(known()).toEqual({ 'refund.none': 'survived', 'charge.none': undefined, 'spent.zero': 'noticed' });
  writeFileSync(String(unit.file), '// nothing');
  expect(Object.values(known())).toEqual([undefined, undefined, undefined]);
});

it('takes a test that has let a lie pass beside others, which another has noticed, for none that was alone with it', () => {
  const units = [unitOf('pays', ['spent.zero', 'charge.none']), unitOf('looks', ['spent.zero'])];
  const lies = [row('spent.zero', 'noticed'), row('spent.zero', 'survived', 'looks'), row('charge.none', 'survived')];
  const baseline = baselineOf(reportOf(lies, { units }));
  expect(baseline.lies.map(({ lie, unit, alone }) => [lie, unit, alone])).toEqual([
    ['spent.zero', 'pays', undefined],
    ['spent.zero', 'looks', undefined],
    ['charge.none', 'pays', true],
  ]);
});

it('reports what it remembers by the schema of reports, whatever else the file has of it', () => {
  const unit = unitOf('pays', ['spent.zero']);
  const { lies, ...rest } = baselineOf(reportOf([row('spent.zero', 'noticed')], { units: [unit] }));
  const baseline = { ...rest, lies: lies.map((each) => ({ ...each, alone: true })) };
  const pairs = planPairs([unit], readMutateSettings({}), new Set());
  const unchanged = unchangedUnits(baseline, [unit]);
  // One in ten is measured again each day.
  const days = Array.from({ length: 20 }, (_, at) => `2027-01-${at + 10}`);
  const found = days.flatMap((day) => [...rememberedOf(baseline, pairs, { seed: 1, day, unchanged }).values()].flat());
  expect(found.length).toBeGreaterThan(0);
  for (const each of found) expect(mutateReport.shape.lies.element.parse(each)).toMatchObject({ remembered: true });
});
