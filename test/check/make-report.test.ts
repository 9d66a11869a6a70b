import { expect, it } from 'vitest';
import { type CheckBaseline, makeUpdatedBaseline } from '../../src/check/baseline.ts';
import { CHECK_IDS, CHECKS } from '../../src/check/checks.ts';
import { type FailureFinding, makeFailureFinding } from '../../src/check/failure-finding.ts';
import type { FailureKind } from '../../src/check/faults/failed-check.ts';
import { checkIdOfFailedScenario } from '../../src/check/faults/failed-check.ts';
import { makeScenario } from '../../src/check/plan.ts';
import { formatTextReport, otherSiteLines } from '../../src/check/print-text.ts';
import { type Finding, makeCheckReportSchema, parseCheckReport } from '../../src/check/report.ts';
import { CheckResults } from '../../src/check/results.ts';
import { FaultAndCheckSelection, faultNamesOfCheck } from '../../src/check/selection.ts';
import { encodeToken } from '../../src/check/token.ts';
import { BROKE, madeRun } from './faults/made-run.ts';
import { foundOf, reportOf, resultsOf, scenarioAt, settingsOf } from './made-report.ts';

const PAID_TWICE = { kind: 'verdict', code: 'paid_twice', message: 'It failed.' } as const;

it.each<[string, FailureKind, readonly string[], { code?: string; codes?: string[] }]>([
  ['pays-once', 'verdict', ['lost_response'], { code: 'paid_twice' }],
  ['handles-duplicates', 'check', ['duplicate'], {}],
  ['handles-duplicates', 'verdict', ['duplicate'], { code: 'retried_402' }],
  ['matches-ledger', 'check', ['extra_field'], {}],
  ['pays-once', 'spend', ['lost_response'], { code: 'paid_more' }],
  ['survives-lost-messages', 'spend', ['lost_response'], {}],
  ['survives-lost-messages', 'exit', ['lost_response'], {}],
  ['refunds-failures', 'exit', ['take_fails:1', 'duplicate'], {}],
  ['refunds-failures', 'check', ['fails', 'empty_balance'], {}],
  ['refunds-failures', 'check', ['fails', 'status:429'], {}],
  ['refunds-failures', 'check', ['fails', 'lost'], {}],
  ['stops-without-credits', 'verdict', ['empty_balance'], { code: 'retried_402' }],
  ['honours-retry-after', 'exit', ['status:429'], {}],
  ['rejects-forged-events', 'receiver', ['forged'], {}],
  ['handles-duplicates', 'exit', ['twin'], {}],
  ['survives-restart', 'exit', ['kill:during'], {}],
  ['verifies-files', 'exit', ['truncated'], {}],
  ['detects-cut-streams', 'exit', ['cut:middle'], {}],
  ['survives-lost-messages', 'check', ['lost_response'], {}],
  ['refunds-failures', 'check', ['fails'], {}],
  ['tolerates-changes', 'receiver', ['spelled'], {}],
  ['survives-restart', 'receiver', ['kill:during'], {}],
])('assigns to the check %s a failure of the kind %s (such as exit) under the faults %j', (id, kind, names, more) => {
  const scenario = names.map((fault) => ({ site: 'job music #1', fault }));
  expect(checkIdOfFailedScenario({ scenario, kind, ...more })).toBe(id);
});

it('defines faults for each check except those that compare the ledger and the cost', () => {
  const empty = CHECK_IDS.filter((id) => faultNamesOfCheck(id).length === 0);
  expect(empty).toEqual(['matches-ledger', 'spend-unchanged']);
  for (const { faults } of CHECKS) {
    for (const name of faults) expect(() => new FaultAndCheckSelection({ only: [name] })).not.toThrow();
  }
});

it('names the reason of several untested checks once, with one command, and suggests no --budget after a hang', () => {
  const stopped = 'The baseline run did not end within 9 seconds.';
  const judged = reportOf(Object.assign(new CheckResults(), { stopped }));
  const lines = formatTextReport({ ...judged, scenarios: 1 })
    .split('\n')
    .filter((line) => line.includes(stopped));
  expect(lines.filter((line) => !line.includes('--start'))).toHaveLength(1);
  expect(lines[0]).toMatch(/^Not tested: pays-once, collects-results, .* --only pays-once,collects-results,/);
  expect(lines.join()).not.toContain('--budget');
});

const PASSED = [scenarioAt(['duplicate'])];
const TWIN = [scenarioAt(['twin'])];
const UNCONFIRMED = /^failed once, and was not confirmed, because too little of --budget was left/;

it.each([
  ['a kind of its scenarios was not tried', { untried: TWIN }, /^too little of --budget was left$/, false],
  // Nothing is left to try, so a baseline can be written.
  ['nothing in the tests met one of its faults', { unmet: TWIN }, /^nothing met twin at delivery \S+$/, true],
  ['its failure could not be confirmed', { unconfirmed: [foundOf(['duplicate'])] }, UNCONFIRMED, false],
])('reports a check as not_tested, with the reason, if %s', (_, more, why, isWhole) => {
  const judged = reportOf(resultsOf([], { passed: PASSED, ...more }));
  const check = judged.report.checks.find(({ id }) => id === 'handles-duplicates');
  expect(check).toMatchObject({ state: 'not_tested', why: expect.stringMatching(why) });
  expect(judged.isWhole).toBe(isWhole);
});

it.each([
  ['all of its scenarios', [], 'every scenario of it failed another check'],
  ['some of its scenarios', [scenarioAt(['lost'])], 'too little of --budget was left'],
])('says why a check was not tested if %s failed another check', (_, untried, why) => {
  const paid = foundOf(['lost_response'], { failure: PAID_TWICE });
  const { report } = reportOf(resultsOf([paid], { untried }));
  const check = report.checks.find(({ id }) => id === 'survives-lost-messages');
  expect(check).toMatchObject({ state: 'not_tested', why });
});

it('prints checks with the same reason on one line, each with its counts', () => {
  const untried = [...TWIN, scenarioAt(['lost']), scenarioAt(['late'])];
  const judged = reportOf(resultsOf([], { passed: PASSED, untried }));
  expect(formatTextReport({ ...judged, scenarios: 1 })).toMatch(
    /^Not tested: pays-once 0 of 1, handles-duplicates 1 of 2, survives-lost-messages 0 of 2 \(too little of --budget was left\): .* --only pays-once,handles-duplicates,survives-lost-messages --budget 0/m,
  );
});

it('reports the check matches-ledger as not tested if no scenario was tried', () => {
  const { report } = reportOf(resultsOf([], { untried: TWIN }), { hasAssert: true });
  const check = report.checks.find(({ id }) => id === 'matches-ledger');
  expect(check).toMatchObject({ state: 'not_tested', why: 'too little of --budget was left' });
});

it('reports a check that --only leaves out as not tested, even if its faults were tried', () => {
  const results = resultsOf([], { passed: [scenarioAt(['twin']), scenarioAt(['lost_response'])] });
  const { report } = reportOf(results, { settings: settingsOf(['pays-once']) });
  expect(report.checks.filter(({ state }) => state === 'passed').map(({ id }) => id)).toEqual(['pays-once']);
  const other = report.checks.find(({ id }) => id === 'handles-duplicates');
  expect(other).toMatchObject({ state: 'not_tested', why: 'left out by --only or --skip' });
});

it('does not count a scenario as tried if its test passes although every request fails', () => {
  const twins = scenarioAt(['twin']).faults.map((each) => ({ ...each, at: { ...each.at, test: 'a.test > a' } }));
  const dead = makeScenario(twins);
  const results = resultsOf([], { passed: [scenarioAt(['duplicate']), dead], deadTests: ['a.test > a'] });
  const { report, notes } = reportOf(results);
  const check = report.checks.find(({ id }) => id === 'handles-duplicates');
  expect(check).toMatchObject({ state: 'passed', tried: { run: 1, of: 1 } });
  expect(report).toMatchObject({ dead_tests: ['a.test > a'], measured: { run: 1, planned: 1 } });
  expect(notes).toEqual(['1 test passes although every request fails: a.test > a.']);
});

it('selects or omits faults only at the sites of the family that is named, as in --only files or --skip streams', () => {
  const selected = (fault: string, options: { only?: string[]; skip?: string[] }) => {
    const selection = new FaultAndCheckSelection(options);
    return (['call', 'stream', 'cdn'] as const).filter((kind) => selection.wants(fault, kind));
  };
  expect(selected('status:503', {})).toEqual(['call', 'stream', 'cdn']);
  expect(selected('status:503', { skip: ['streams'] })).toEqual(['call', 'cdn']);
  expect(selected('status:503', { only: ['files'] })).toEqual(['cdn']);
  expect(selected('status:503', { only: ['requests'] })).toEqual(['call', 'stream']);
  expect(selected('cut:middle', { only: ['requests'] })).toEqual([]);
  expect(selected('kill:during', { only: ['requests', 'files'] })).toEqual([]);
});

it('reports only the checks that --only names, or every check if --only names a fault', () => {
  const reported = (...only: string[]) => CHECK_IDS.filter((id) => new FaultAndCheckSelection({ only }).reports(id));
  expect(reported('pays-once', 'matches-*')).toEqual(['pays-once', 'matches-ledger']);
  expect(reported('lost_response')).toEqual(CHECK_IDS);
  expect(reported('pays-once', 'slow')).toEqual(CHECK_IDS);
});

it('does not pass a check with an accepted finding if another failure was not confirmed, and exits with 3', () => {
  const baseline = { findings: [], accepted: [{ finding: '*images*', why: 'an image is cheap' }] };
  const sites = { site: 'POST /v1/images/generations #1', failure: PAID_TWICE };
  const found = foundOf(['lost_response'], sites);
  const spent = { kind: 'spend', code: 'paid_more', message: 'The tests cost 5 credits.' } as const;
  const open = foundOf(['slow'], { site: 'POST /v1/chat/completions #2', failure: spent });
  const results = resultsOf([found], { unconfirmed: [open], passed: [scenarioAt(['duplicate'])] });
  const { report } = reportOf(results, { baseline });
  const failed = formatTextReport({ ...reportOf(results), scenarios: 1 });
  expect(failed).toMatch(
    /^Also pays-once failed once, and was not confirmed, .*: slow at POST \S+ #2: .* --replay c1-/m,
  );
  expect(report.findings).toMatchObject([{ state: 'accepted' }]);
  expect(report.checks[0]).toMatchObject({ id: 'pays-once', state: 'not_tested' });
  expect(report).toMatchObject({ exit: 3, error: '1 failure was not confirmed in time: give a longer --budget.' });
});

it('fails a complete run if an `accepted` entry of the baseline matches nothing or has expired', () => {
  const accepted = [
    { check: 'pays-once', why: 'a second chat is cheap' },
    { finding: '*nothing*', why: 'gone' },
    { finding: 'refund*', why: 'read by hand', until: '2026-12-31' },
  ];
  const counted = { charges: 0, refunds: 0, credits: 0, by_work: [], by_account: [] };
  const baseline = { findings: [], accepted, spend: counted };
  const results = resultsOf([foundOf(['lost_response'], { failure: PAID_TWICE })]);
  const { report, complaints, isWhole } = reportOf(results, { baseline });
  expect(isWhole).toBe(true);
  expect(report.findings).toMatchObject([{ state: 'accepted' }]);
  expect(report.checks[0]).toMatchObject({ state: 'passed', why: '1 accepted: a second chat is cheap' });
  expect(report.checks.find(({ id }) => id === 'spend-unchanged')?.state).toBe('passed');
  expect(complaints).toEqual([
    'The accepted entry "*nothing*" matches nothing: remove it from the baseline.',
    'The accepted entry "refund*" expired on 2026-12-31: remove it from the baseline.',
  ]);
  expect(report.exit).toBe(1);
  expect(reportOf(results, { baseline, settings: settingsOf(['lost_response']) }).complaints).toEqual([]);
});

it('prints at most 40 lines: the first failed checks with one finding each, and the other failed checks in one line', () => {
  const many = CHECK_IDS.flatMap((id) => faultNamesOfCheck(id).slice(0, 1)).flatMap((name) =>
    Array.from({ length: 5 }, (_, at) =>
      foundOf([name], { finding: { token: `c1-${name}${at}`, error: 'Error: no\nway' } }),
    ),
  );
  const printed = formatTextReport({ ...reportOf(resultsOf(many)), scenarios: 9, file: 'all.json' });
  const lines = printed.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(40);
  const shown = lines.filter((line) => line.startsWith('FAILED ')).map((line) => line.slice('FAILED '.length));
  const also = /^Also failed: (.+)\. (\d+) more findings\. See all\.json\.$/m.exec(printed);
  const failed = [...shown, ...(also?.[1]?.split(', ') ?? [])];
  expect(failed).toEqual(
    reportOf(resultsOf(many)).report.checks.flatMap(({ id, state }) => (state === 'failed' ? id : [])),
  );
  expect(Number(also?.[2]) + shown.length).toBe(many.length);
  for (const sign of ['  - ', '    Fix: ', '    Replay: ']) {
    expect(lines.filter((line) => line.startsWith(sign))).toHaveLength(shown.length);
  }
});

function tokenOf(...faults: readonly (readonly [fault: string, site: string])[]) {
  const scene = { kind: 'fault', command: 'c', faults: faults.map(([fault, site]) => ({ fault, site })) } as const;
  return encodeToken({ version: '0.1.0', seed: 1, check: 'pays-once', scene });
}

/** A finding at the first site, whose cause was also found at the other sites. */
function spreadOver(first: string, ...others: string[]) {
  const tokens = [first, ...others].map((site) => tokenOf(['lost_response', site]));
  const finding = { token: tokens[0] ?? '', also: tokens.slice(1) };
  return foundOf(['lost_response'], { site: first, failure: PAID_TWICE, finding });
}

it('names the fault in the line "Also at" if it differs from that of the finding, or if the finding has two faults', () => {
  const [fails, event] = [['take_fails:1', 'job music #1'] as const, 'delivery music.generation.failed #1'];
  const pair = { token: tokenOf(fails, ['late', event]), also: [tokenOf(fails, ['late', 'job music #1'])] };
  const linesOf = (finding: object) => otherSiteLines({ ...foundOf(['late']).finding, ...finding } as Finding);
  expect(linesOf(pair)).toEqual(['Also at: late at job music #1']);
  const single = { token: tokenOf(['lost_response', 'a']), also: [tokenOf(['slow', 'a'])] };
  expect(linesOf(single)).toEqual(['Also at: slow at a']);
});

it('reports a known or accepted finding as new if it also occurs at another kind of site', () => {
  const [image, chat] = ['POST /v1/images/generations #1', 'POST /v1/chat/completions #2'];
  const stateOf = (found: FailureFinding, baseline: Partial<CheckBaseline>) =>
    reportOf(resultsOf([found]), { baseline: { findings: [], accepted: [], ...baseline } }).report.findings[0]?.state;
  const before = makeUpdatedBaseline(reportOf(resultsOf([spreadOver(image, chat)])).report, undefined, true);
  expect(before.findings).toHaveLength(2);
  expect(stateOf(spreadOver(image, chat), before)).toBe('known');
  expect(stateOf(spreadOver(chat.replace('#2', '#9'), image), before)).toBe('known');
  expect(stateOf(spreadOver(image, chat, 'POST /v1/audio/speech #1'), before)).toBe('new');
  const accepted = [{ finding: 'POST /v1/images*', why: 'an image is cheap' }];
  expect(stateOf(spreadOver(image), { accepted })).toBe('accepted');
  expect(stateOf(spreadOver(image, chat), { accepted })).toBe('new');
});

it('prints with each finding its own fix, even if another finding has the same fix', () => {
  const both = ['1', '2'].map((nth) => foundOf(['duplicate'], { finding: { token: `c1-${nth}` } }));
  const text = formatTextReport({ ...reportOf(resultsOf(both)), scenarios: 3 });
  expect(text.match(/^ {4}Fix: Store the id of each event .*$/gm)).toHaveLength(2);
});

it('prints the output of --assert instead of the error of a failed test if both failed', () => {
  const message = '--assert failed with exit code 1: users paid for 31 credits, the service took 25';
  const failedTests = [{ name: 'arrives', error: "expected 'failed' to be 'done'" }];
  const run = { ...madeRun({ check: message }), failure: BROKE };
  const parts = { version: '0.1.0', seed: 1, command: '', verdicts: [], mask: (text: string) => text };
  const failed = {
    run: { ...run, record: { ...run.record, failedTests } },
    failure: { kind: 'check', message } as const,
  };
  const found = makeFailureFinding(scenarioAt(['blocked'], 'job music #2'), failed, parts);
  const text = formatTextReport({ ...reportOf(resultsOf([found])), scenarios: 3 });
  expect(text).toContain(`    Test "arrives": ${message}\n    Fix: Refund your customer when the job has failed`);
  expect(text).not.toContain("to be 'done'");
});

it('publishes a JSON Schema to which its reports conform', async () => {
  const { report } = reportOf(resultsOf([foundOf(['duplicate'])]));
  expect(parseCheckReport(JSON.parse(JSON.stringify(report)))).toEqual(report);
  await expect(`${JSON.stringify(makeCheckReportSchema(), null, 2)}\n`).toMatchFileSnapshot(
    '../../schemas/check-report.schema.json',
  );
});
