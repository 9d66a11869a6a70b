import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { type CheckBaseline, makeUpdatedBaseline } from '../../src/check/baseline.ts';
import { CHECK_IDS, CHECKS } from '../../src/check/checks.ts';
import { type FailureFinding, makeFailureFinding } from '../../src/check/failure-finding.ts';
import type { FailureKind } from '../../src/check/faults/failed-check.ts';
import { findFailedCheckId } from '../../src/check/faults/failed-check.ts';
import { makeScenario } from '../../src/check/plan.ts';
import { formatHtmlReport } from '../../src/check/print-html.ts';
import { formatMarkdownReport } from '../../src/check/print-markdown.ts';
import { formatReplayResult, formatTextReport, otherSiteLines } from '../../src/check/print-text.ts';
import { type Finding, makeCheckReportSchema, parseCheckReport } from '../../src/check/report.ts';
import { CheckResults } from '../../src/check/results.ts';
import { FaultAndCheckSelection, faultNamesOfCheck } from '../../src/check/selection.ts';
import { encodeToken } from '../../src/check/token.ts';
import { fileOf } from '../cli/spawned-program.ts';
import { accessibilityFaults, startBrowser } from '../support/browser.ts';
import { BROKE, madeRun } from './faults/made-run.ts';
import { foundOf, reportOf, resultsOf, scenarioAt } from './made-report.ts';

const open = await startBrowser();
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
])('fails the check %s for a failure of kind %s under the faults %j', (id, kind, names, more) => {
  const scenario = names.map((fault) => ({ site: 'job music #1', fault }));
  expect(findFailedCheckId({ scenario, kind, ...more })).toBe(id);
});

it('defines faults for each check except those that compare the ledger and the cost', () => {
  const empty = CHECK_IDS.filter((id) => faultNamesOfCheck(id).length === 0);
  expect(empty).toEqual(['matches-ledger', 'spend-unchanged']);
  for (const { faults } of CHECKS) {
    for (const name of faults) expect(() => new FaultAndCheckSelection({ only: [name] })).not.toThrow();
  }
});

it('reports each untried check as not tested, with the reason and a command that tests it', () => {
  const { report } = reportOf(new CheckResults());
  expect(report.checks.filter(({ state }) => state === 'passed')).toEqual([]);
  expect(report.checks.map(({ id }) => id)).toEqual(CHECK_IDS);
  for (const { state, next, why } of report.checks)
    if (state === 'not_tested')
      expect([next, why]).toEqual([expect.stringMatching(/^npx svc-emulator check --/), expect.stringMatching(/\S/)]);
  expect(report.exit).toBe(3);
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

it('does not pass a check if a kind of its scenarios was not tried', () => {
  const results = resultsOf([], { passed: [scenarioAt(['duplicate'])], untried: [scenarioAt(['twin'])] });
  const { report } = reportOf(results);
  const check = report.checks.find(({ id }) => id === 'handles-duplicates');
  expect(check).toMatchObject({
    state: 'not_tested',
    tried: { run: 1, of: 2 },
    why: 'too little of --budget was left: 1 of 2 tried',
  });
  expect(report.measured).toMatchObject({ run: 1, planned: 2 });
});

it('does not pass a check if nothing in the tests met one of its faults, and does not ask for a longer --budget', () => {
  const results = resultsOf([], { passed: [scenarioAt(['duplicate'])], unmet: [scenarioAt(['twin'])] });
  const { report, isWhole } = reportOf(results);
  expect(report.checks.find(({ id }) => id === 'handles-duplicates')).toMatchObject({
    state: 'not_tested',
    tried: { run: 1, of: 2 },
    why: `nothing met twin at delivery music.generation.succeeded: 1 of 2 tried`,
  });
  expect(report.measured).toMatchObject({ run: 1, planned: 2 });
  // A baseline can be written: nothing is left to try.
  expect(isWhole).toBe(true);
});

it('does not pass a check that was not asked for, although its faults were tried for another check', () => {
  const results = resultsOf([], { passed: [scenarioAt(['twin']), scenarioAt(['lost_response'])] });
  const selection = new FaultAndCheckSelection({ only: ['pays-once'] });
  const settings = { selection, require: [], replay: undefined, shard: { index: 1, of: 1 } };
  const { report } = reportOf(results, { settings });
  expect(report.checks.filter(({ state }) => state === 'passed').map(({ id }) => id)).toEqual(['pays-once']);
  const other = report.checks.find(({ id }) => id === 'handles-duplicates');
  expect(other).toMatchObject({ state: 'not_tested', why: 'left out by --only or --skip' });
});

it('does not count scenarios of a test that passes although every request fails', () => {
  const at = {
    name: 'delivery a.b #1',
    kind: 'delivery',
    about: [],
    match: {},
    traits: {},
    test: 'a.test > a',
  } as const;
  const dead = makeScenario([{ fault: 'twin', site: at.name, at }]);
  const results = resultsOf([], { passed: [scenarioAt(['duplicate']), dead], deadTests: ['a.test > a'] });
  const { report, notes } = reportOf(results);
  const check = report.checks.find(({ id }) => id === 'handles-duplicates');
  expect(check).toMatchObject({ state: 'passed', tried: { run: 1, of: 1 } });
  expect(report).toMatchObject({ dead_tests: ['a.test > a'], measured: { run: 1, planned: 1 } });
  expect(notes).toEqual(['1 test passes although every request fails: a.test > a.']);
});

it('reports only the named checks, or every check if a fault is named', () => {
  const reported = (...only: string[]) => CHECK_IDS.filter((id) => new FaultAndCheckSelection({ only }).reports(id));
  expect(reported('pays-once', 'matches-*')).toEqual(['pays-once', 'matches-ledger']);
  expect(reported('lost_response')).toEqual(CHECK_IDS);
  expect(reported('pays-once', 'slow')).toEqual(CHECK_IDS);
});

it('suggests the closest check for an unknown name, or lists the checks if none is close', () => {
  expect(() => new FaultAndCheckSelection({ only: ['pays-onc'] })).toThrow('Did you mean pays-once?');
  expect(() => new FaultAndCheckSelection({ only: ['nonsense'] })).toThrow(
    '. Use one of pays-once, collects-results, ',
  );
});

it('does not pass a check whose failure could not be confirmed', () => {
  const unconfirmed = [foundOf(['duplicate'])];
  const { report } = reportOf(resultsOf([], { unconfirmed, passed: [scenarioAt(['duplicate'])] }));
  const check = report.checks.find(({ id }) => id === 'handles-duplicates');
  expect(check).toMatchObject({
    state: 'not_tested',
    why: expect.stringMatching(/^failed once, and was not confirmed, because too little of --budget was left/),
  });
});

it('does not pass a check with an accepted finding if another failure was not confirmed, and exits with 3', () => {
  const baseline = { findings: [], accepted: [{ finding: '*images*', why: 'an image is cheap' }] };
  const sites = { site: 'POST /v1/images/generations #1', failure: PAID_TWICE };
  const found = foundOf(['lost_response'], sites);
  const spent = { kind: 'spend', code: 'paid_more', message: 'The tests cost 5 credits.' } as const;
  const open = foundOf(['slow'], { site: 'POST /v1/chat/completions #2', failure: spent });
  const { report } = reportOf(resultsOf([found], { unconfirmed: [open], passed: [scenarioAt(['duplicate'])] }), {
    baseline,
  });
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
  const narrowed = {
    selection: new FaultAndCheckSelection({ only: ['lost_response'] }),
    require: [],
    replay: undefined,
  };
  const settings = { ...narrowed, shard: { index: 1, of: 1 } };
  expect(reportOf(results, { baseline, settings }).complaints).toEqual([]);
});

it('does not pass a replay without a result, and fails a replay of a known finding', () => {
  const found = foundOf(['lost_response'], { failure: PAID_TWICE });
  const scene = { kind: 'fault', command: '', faults: found.scenario.faults } as const;
  const replay = { version: '0.1.0', seed: 1, check: found.finding.check, scene };
  const settings = { selection: new FaultAndCheckSelection({}), require: [], replay, shard: { index: 1, of: 1 } };
  const unjudged = reportOf(resultsOf([]), { settings });
  expect(unjudged.report).toMatchObject({ exit: 3, error: expect.stringMatching(/^The finding was not tried/) });
  expect(formatReplayResult({ ...unjudged, scenarios: 1 })).toBe('');
  const results = resultsOf([found]);
  const findings = reportOf(results).report.findings.map(({ check, title }) => ({ check, title }));
  const baseline = { findings, accepted: [] };
  expect(reportOf(results, { baseline }).report).toMatchObject({ exit: 0, findings: [{ state: 'known' }] });
  expect(reportOf(results, { baseline, settings }).report).toMatchObject({ exit: 1, findings: [{ state: 'new' }] });
  expect(reportOf(results, { isWritten: true }).report.exit).toBe(0);
});

it('prints at most 40 lines: the first failed checks in full, and the others in one line', () => {
  const names = [
    'lost_response',
    'empty_balance',
    'status:429',
    'forged',
    'duplicate',
    'late',
    'kill:after',
    'truncated',
  ];
  const many = [...names, 'cut:middle', 'spelled'].flatMap((name) =>
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

it('prints a finding with its test, its error, its fix and its replay', () => {
  const test = { name: 'refunds a\nfailed \u001b[31msong', file: 'shop.test.ts', line: 38 };
  const found = foundOf(['duplicate'], { finding: { test, error: 'expected 20 to be 10' } });
  const text = formatTextReport({ ...reportOf(resultsOf([found])), scenarios: 3 });
  expect(text).toContain(
    [
      'FAILED handles-duplicates',
      '  - delivery music.generation.succeeded #1 arrives twice, the second after the response to the first',
      '    Test "refunds a failed \\u001b[31msong" (shop.test.ts:38) failed: expected 20 to be 10',
      '    Fix: Store the id of each event you handled under a unique key. Return 2xx for an event you know, and do nothing more.',
      '    Replay: npx svc-emulator check --replay c1-duplicate -- npm test',
    ].join('\n'),
  );
});

function tokenOf(...faults: readonly (readonly [fault: string, site: string])[]) {
  const scene = { kind: 'fault', command: 'c', faults: faults.map(([fault, site]) => ({ fault, site })) } as const;
  return encodeToken({ version: '0.1.0', seed: 1, check: 'pays-once', scene });
}

/** A finding at the first site whose cause was found at the other sites too. */
function spreadOver(first: string, ...others: string[]) {
  const tokens = [first, ...others].map((site) => tokenOf(['lost_response', site]));
  const finding = { token: tokens[0] ?? '', also: tokens.slice(1) };
  return foundOf(['lost_response'], { site: first, failure: PAID_TWICE, finding });
}

it('prints the other sites of a finding in one line', () => {
  const found = spreadOver('POST /v1/images/generations #1', 'POST /v1/chat/completions #2', 'endpoint');
  const judged = reportOf(resultsOf([found]));
  const also = 'Also at: POST /v1/chat/completions #2, endpoint';
  expect(formatTextReport({ ...judged, scenarios: 3 })).toContain(`\n    ${also}\n    Fix: `);
  expect(formatHtmlReport({ ...judged, scenarios: 3 })).toContain(`<p>${also}</p>`);
});

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

it('writes one HTML page that needs no network and escapes the name, file and error of a test', async () => {
  const hostile = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
  const test = { name: hostile, file: hostile };
  const finding = { test, error: hostile, happened: [hostile] };
  const judged = reportOf(resultsOf([foundOf(['duplicate'], { finding })]));
  const html = formatHtmlReport({ ...judged, scenarios: 1 });
  expect(html.length).toBeLessThan(500_000);
  const { page } = await open(pathToFileURL(fileOf('check.html', html)).href);
  expect(await page.locator('article').count()).toBe(1);
  expect(await page.locator('script').count()).toBe(1);
  expect(await page.locator('img').count()).toBe(0);
  expect(await accessibilityFaults(page)).toEqual([]);
});

it('writes Markdown in which the name of a test is escaped', () => {
  const test = { name: '**bold** @all ![i](http://a)' };
  const found = foundOf(['duplicate'], { finding: { test, error: 'no' } });
  const markdown = formatMarkdownReport(reportOf(resultsOf([found])));
  expect(markdown).toMatch(/^### Check: 1 failed/);
  expect(markdown).toContain('\\*\\*bold\\*\\*');
  for (const each of ['**bold**', '@all', '![i]']) expect(markdown).not.toContain(each);
});
