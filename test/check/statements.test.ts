import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { type ExploreReport, makeReport, NOTHING_RUN } from '../../src/check/app/explore-report.ts';
import type { Failure, FailureKind } from '../../src/check/app/finding-book.ts';
import { isKnownKind } from '../../src/check/app/schedule.ts';
import { statementOf } from '../../src/check/broken-statement.ts';
import { readCheckBaseline } from '../../src/check/check-baseline.ts';
import { checkSchema, type PartReports, readCheckReport } from '../../src/check/check-report.ts';
import { type CheckParts, makeCheckReport } from '../../src/check/make-check-report.ts';
import { printableCheck } from '../../src/check/print-check.ts';
import { pageOf, printText } from '../../src/check/print-report.ts';
import { STATEMENTS } from '../../src/check/statements.ts';
import type { MutateReport } from '../../src/check/tests/mutate-report.ts';
import { isLie } from '../../src/check/tests/mutate-settings.ts';
import { writePage } from '../../src/control/trace/write-trace.ts';
import { fileOf } from '../cli/spawned-program.ts';
import { accessibilityFaults, startBrowser } from '../support/browser.ts';

const open = await startBrowser();

const PLAIN = { ...makeReport({ version: '0.1.0', command: 'npm test', seed: 1, bound: 2, seconds: 3 }, NOTHING_RUN) };

type More = Pick<Failure, 'code'> & { codes?: readonly string[]; token?: string };

/** A finding of explore under these deviations. */
function found(kind: FailureKind, names: readonly string[], { token, ...more }: More = {}): ExploreReport {
  const schedule = names.map((deviation, at) => ({ step: `job music #${at + 1}`, deviation }));
  const finding = {
    token: token ?? `x1-${names.join('')}`,
    schedule,
    statement: statementOf({ schedule, kind, ...more }),
    kind,
    message: 'It failed.',
    seen: 1,
    output: '',
    test: '',
    again: '',
  };
  const planned = Object.fromEntries(names.map((name) => [name, 4]));
  const tried = Object.fromEntries(names.map((name) => [name, { run: 1, failed: 1 }]));
  const report = { ...PLAIN, findings: [finding], by_deviation: tried, planned_by_deviation: planned };
  return report as unknown as ExploreReport;
}

function judged(reports: PartReports, more: Partial<CheckParts> = {}) {
  return makeCheckReport({
    head: {
      version: '0.1.0',
      date: '2026-11-25T05:00:00.000Z',
      commit: null,
      lock: null,
      command: 'npm test',
      seed: 1,
    },
    ...{ reports, faults: {}, asked: ['app', 'tests', 'spend'], seconds: 3 },
    gates: { require: [], min: new Map(), maxBrittle: 0, allowed: [], baseline: undefined },
    again: { program: ['npx', 'svc-emulator'], words: ['--', 'npm', 'test'] },
    ...{ isNarrowed: false, hasAssert: false, hasApp: false },
    ...more,
  });
}

it.each([
  [1, 'spend', ['lost_answer'], {}],
  [1, 'exit', ['lost_answer'], { codes: ['paid_twice'] }],
  [1, 'verdict', ['duplicate'], { code: 'paid_twice' }],
  [1, 'exit', ['forged', 'late'], { codes: ['accepted_forgery', 'paid_twice'] }],
  [2, 'probe', ['fails'], {}],
  [2, 'probe', ['fails', 'twin'], {}],
  [2, 'probe', ['take_fails:2', 'duplicate'], {}],
  [2, 'exit', ['take_fails:1', 'late'], {}],
  [3, 'hang', ['empty_balance'], {}],
  [7, 'exit', ['foreign', 'lost'], {}],
  [4, 'exit', ['empty_balance', 'status:503'], {}],
  [7, 'receiver', ['empty_balance', 'truncated'], {}],
  [2, 'receiver', ['take_fails:2'], {}],
  [6, 'receiver', ['duplicate'], {}],
  [4, 'exit', ['status:429'], {}],
  [7, 'exit', ['status:500'], {}],
  [5, 'receiver', ['forged'], {}],
  [6, 'probe', ['duplicate'], {}],
  [6, 'probe', ['lost_answer', 'twin'], {}],
  [7, 'probe', ['lost_answer'], {}],
  [7, 'hang', ['lost'], {}],
  [8, 'probe', ['kill:during', 'duplicate'], {}],
  [9, 'probe', ['truncated'], {}],
  [10, 'exit', ['cut:middle'], {}],
  [11, 'check', ['lost_answer'], {}],
  [14, 'receiver', ['spelled'], {}],
] as const)('breaks statement %i by a failing %s under %j, and no other', (id, kind, names, more) => {
  const { report } = judged({ app: found(kind, names, more) });
  expect(report.statements.filter(({ state }) => state === 'broken').map((each) => each.id)).toEqual([id]);
  expect(report.exit).toBe(1);
});

it.each([
  [2, 'delivery music.generation.failed #1', 'duplicate'],
  [2, 'delivery video.generation.failed #2 to endpoint #2', 'lost'],
  [6, 'delivery music.generation.succeeded #1', 'duplicate'],
  [7, 'delivery flow.run.failed #1', 'lost'],
  [9, 'GET /cdn #3', 'status:503'],
  [8, 'GET /cdn #3', 'kill:during'],
  [4, 'GET /v1/account #3', 'status:503'],
])('breaks statement %i by what becomes of %s under %s', (id, step, deviation) => {
  expect(statementOf({ schedule: [{ step, deviation }], kind: 'probe' })).toBe(id);
});

it('holds nothing that was not tried, and says of each statement why and what would look at it', () => {
  const { report } = judged({ app: { ...PLAIN, planned_by_deviation: { lost_answer: 2, duplicate: 1 } } });
  const states = report.statements.map(({ state }) => state);
  expect(states).not.toContain('held');
  expect(report.statements[5]).toMatchObject({ state: 'not_looked_at', why: expect.stringContaining('time was over') });
  expect(report.statements[8]).toMatchObject({ state: 'does_not_apply', why: expect.stringContaining('a file') });
  const unseen = report.statements.filter(({ state }) => state === 'not_looked_at');
  expect(unseen.filter(({ why, next }) => !why || !/^npx svc-emulator check .* -- npm test$/.test(next ?? ''))).toEqual(
    [],
  );
  expect(report).toMatchObject({ exit: 3, error: { exit_code: 3, message: expect.stringContaining('Only 0 of 2') } });
});

it('does not hold by a caught lie alone what there was no time to try', () => {
  const lie = { lie: 'hook.unsigned', family: 'security', site: 'delivery', unit: 'pays', verdict: 'noticed' };
  const tests = {
    ...{ units: [], lies: [lie], liberties: [], unreached: [], families: {} },
    measured: { planned: 1, told: 1, runs: 1 },
  } as unknown as NonNullable<PartReports['tests']>;
  const stateWith = (app: object) => judged({ tests, app: { ...PLAIN, ...app } }).report.statements[4]?.state;
  const planned = { planned_by_deviation: { replayed: 5 } };
  expect(stateWith(planned)).toBe('not_looked_at');
  expect(stateWith({ ...planned, by_deviation: { replayed: { run: 1, failed: 0 } } })).toBe('held');
  expect(stateWith({ planned_by_deviation: {} })).toBe('held');
});

it('is made of names that --only takes, as the commands that it prints do', () => {
  const names = STATEMENTS.flatMap(({ deviations, lies }) => [...deviations, ...lies]);
  expect(names.filter((name) => !isKnownKind(name) && !isLie(name))).toEqual([]);
  expect([isLie('refund'), isLie('refun'), isLie('refund.')]).toEqual([true, false, false]);
});

it('does not hold what no test looks at, unless the state of the app is compared', () => {
  const lie = { lie: 'refund.none', family: 'money', site: 'ledger createSong', unit: 'pays', verdict: 'survived' };
  const testsOf = (verdict: string) =>
    ({
      ...{ units: [], lies: [{ ...lie, verdict }], liberties: [], unreached: [], families: {} },
      measured: { planned: 1, told: 1, runs: 1 },
    }) as unknown as NonNullable<PartReports['tests']>;
  const app = { ...PLAIN, planned_by_deviation: { fails: 5 }, by_deviation: { fails: { run: 5, failed: 0 } } };
  const given = (verdict: string, more = {}) => judged({ tests: testsOf(verdict), app }, more).report.statements[1];
  expect(given('survived')).toMatchObject({
    state: 'not_looked_at',
    why: expect.stringContaining('1 lie of it reached your tests, and none was caught'),
    next: 'npx svc-emulator check tests --only refund -- npm test',
  });
  expect(given('noticed')?.state).toBe('held');
  expect(given('survived', { hasProbe: true })?.state).toBe('held');
});

it.each([
  ['left (budget)', 'the time was over before one was tried', 'tests --budget 0'],
  ['no such road', 'no lie reached a test', 'tests --all'],
] as const)('says of lies that were %s: %s', (left, why, next) => {
  const unreached = [{ lie: 'charge.none', why: left }];
  const tests = {
    ...{ units: [], lies: [], liberties: [], unreached, families: {} },
    measured: { planned: 1, told: 0 },
  };
  const { report } = judged({ tests, app: PLAIN } as unknown as PartReports);
  expect(report.statements[12]).toMatchObject({ why, next: `npx svc-emulator check ${next} -- npm test` });
});

/** What there is of lies of which some were tried, each with its verdict, and some left for want of time. */
function testsWith(tried: readonly [lie: string, verdict: string][], left: readonly string[]) {
  const lies = tried.map(([lie, verdict]) => ({
    lie,
    verdict,
    family: 'money',
    site: 'ledger createSong',
    unit: 'pays',
  }));
  const unreached = left.map((lie) => ({ lie, why: 'left (budget)' }));
  const measured = { planned: tried.length + left.length, told: tried.length, runs: 1 };
  return { units: [], lies, liberties: [], unreached, families: {}, measured } as unknown as MutateReport;
}

it('says of what is held how many of its lies were not tried, and of what no test looked at until then', () => {
  const app = { ...PLAIN, planned_by_deviation: { fails: 5 }, by_deviation: { fails: { run: 5, failed: 0 } } };
  const left = ['refund.none', 'charge.none', 'lyrics.other'];
  const held = judged({ tests: testsWith([['charge.one_more', 'noticed']], left), app });
  expect(printText(printableCheck(held))).toContain(
    'Held: 2 (1 lie not tried), 11 (1 lie not tried), 13 (3 lies not tried).',
  );
  const { report } = judged({ tests: testsWith([['refund.one_more', 'survived']], left), app });
  expect(report.statements[1]).toMatchObject({
    why: 'the time was over when 1 of 2 lies of it had been tried, and none caught',
    next: 'npx svc-emulator check tests --only refund --budget 0 -- npm test',
  });
});

it('names in one line what the parts that are asked for do not look at', () => {
  const { report } = judged({ app: PLAIN }, { asked: ['app'] });
  const text = printText(printableCheck({ report, complaints: [] }));
  expect(text).toContain('Not asked for: 12, 13, 15.');
  expect(text.match(/^Not looked at: \d+/gm)).toEqual(['Not looked at: 8', 'Not looked at: 11']);
});

it('prints commands for a part that was run without one that say where it belongs', () => {
  const again = { program: ['npx', 'svc-emulator'], words: ['--receiver', 'http://shop.test/hooks', '--'] };
  const { report } = judged({}, { asked: ['app', 'tests', 'spend', 'receiver'], again });
  expect(report.statements[7]?.next).toMatch(/ --receiver http:\/\/shop\.test\/hooks -- COMMAND$/);
});

it('measures nothing where there is nothing to try, but for one finding or a shard', () => {
  const app = { ...PLAIN, planned_by_deviation: {} };
  expect(judged({ app }).report).toMatchObject({ exit: 3, error: { message: expect.stringContaining('Nothing') } });
  expect(judged({ app }, { isPartial: true }).report.exit).toBe(0);
});

it('says of what Ctrl-C kept from being tried that the run was interrupted', () => {
  const app = { ...PLAIN, planned_by_deviation: { duplicate: 1 } };
  const { report, complaints } = judged({ app }, { error: { exit_code: 130, message: 'It was ended.' } });
  expect(report.statements[5]?.why).toBe('the run was interrupted before one was tried');
  expect(complaints).toEqual([expect.stringContaining('interrupted')]);
});

it('counts what was tried, and does not hold by what failed', () => {
  const app = {
    ...found('probe', ['duplicate']),
    by_deviation: { duplicate: { run: 3, failed: 3 }, twin: { run: 1, failed: 0 } },
  };
  const { report } = judged({ app: { ...app, planned_by_deviation: { duplicate: 4, twin: 4 } } });
  expect(report.statements[0]).toMatchObject({ state: 'held', evidence: ['twin: 1 of 4 tried'] });
});

it.each([
  ['was not run again', 'unconfirmed', 'the time was over before it was confirmed'],
  ['passed when it was', 'unstable', 'passed when it was run again'],
])('does not hold what failed once and %s, and says how to look', (_, list, why) => {
  const app = { ...PLAIN, [list]: found('exit', ['twin']).findings, by_deviation: { twin: { run: 3, failed: 1 } } };
  const { report } = judged({ app: { ...app, planned_by_deviation: { twin: 3 } } });
  expect(report).toMatchObject({ exit: 0, findings: [], measured: { planned: 1, run: 1 } });
  expect(report.statements[5]).toMatchObject({
    state: 'not_looked_at',
    why: `failed once, and ${why}: twin at job music #1`,
    next: 'npx svc-emulator check --again x1-twin -- npm test',
  });
});

it.each([
  ['names what is accepted and excuses nothing any more, a finding or a lie, where all was tried', 2, 2],
  ['says nothing of it where the time was over before', 1, 0],
])('%s', (_, run, complaints) => {
  const accepted = [{ finding: '*comes twice' }, { lie: 'spent.zero', unit: 'pays' }].map((each) => ({
    ...each,
    why: 'the till is idempotent',
  }));
  const file = fileOf('svc-check.json', JSON.stringify({ accepted }));
  const gates = { require: [], min: new Map(), maxBrittle: 0, allowed: [], baseline: readCheckBaseline(file) };
  const app = { ...PLAIN, planned_by_deviation: { twin: 2 }, by_deviation: { twin: { run, failed: 0 } } };
  const tests = { units: [], lies: [], liberties: [], unreached: [], measured: { planned: 1, told: 1, runs: 1 } };
  const answer = judged({ app, tests: tests as unknown as NonNullable<PartReports['tests']> }, { gates });
  expect(answer.complaints.filter((line) => line.includes('excuses nothing any more'))).toHaveLength(complaints);
});

it('has a schema for other programs, which its reports fit', async () => {
  await expect(`${JSON.stringify(checkSchema(), null, 2)}\n`).toMatchFileSnapshot(
    '../../fixtures/check-report.schema.json',
  );
  const { report } = judged({ app: found('probe', ['duplicate']) });
  expect(readCheckReport(JSON.parse(JSON.stringify(report)))).toEqual(report);
  expect(readCheckReport({ ...report, score: 1 })).toBeUndefined();
});

it('prints at most 40 lines however much is broken, each broken statement with a command', () => {
  const names = 'lost_answer fails empty_balance status:503 forged duplicate lost truncated cut:first'.split(' ');
  const findings = names.flatMap((name) =>
    [1, 2, 3, 4, 5].flatMap((n) => found('probe', [name], { token: `x1-${name}${n}` }).findings),
  );
  const answer = judged({ app: { ...PLAIN, findings, planned_by_deviation: {} } });
  const lines = printText(printableCheck(answer)).trimEnd().split('\n');
  const broken = answer.report.statements.filter(({ state }) => state === 'broken');
  expect(lines.length).toBeLessThanOrEqual(40);
  expect(lines.filter((line) => line.startsWith('BROKEN '))).toHaveLength(broken.length);
  expect(lines.filter((line) => line.includes(' --again ')).length).toBeGreaterThanOrEqual(broken.length);
});

it('prints three findings of a statement at most, and says how many more there are', () => {
  const findings = [1, 2, 3, 4, 5].flatMap((n) => found('probe', ['twin'], { token: `x1-twin${n}` }).findings);
  const text = printText(printableCheck(judged({ app: { ...PLAIN, findings, planned_by_deviation: {} } })));
  expect(text).toContain('BROKEN 6. Your integration does each event once (2 more in the report):');
  expect(text.match(/ --again /g)).toHaveLength(3);
  // What they have in common is said with the first.
  expect(text.match(/How to fix it: /g)).toHaveLength(1);
});

it('says of five broken statements what happened and what to change, beside what was not looked at', () => {
  const names = ['lost_answer', 'fails', 'status:503', 'forged', 'lost'];
  const findings = names.flatMap((name) => found('exit', [name], { token: `x1-${name}` }).findings);
  const lines = printText(printableCheck(judged({ app: { ...PLAIN, findings, planned_by_deviation: {} } })))
    .trimEnd()
    .split('\n');
  expect(lines.length).toBeLessThanOrEqual(40);
  for (const [at, line] of lines.entries()) {
    if (!line.startsWith('BROKEN ')) continue;
    expect(lines.slice(at + 1, at + 5)).toEqual([
      expect.stringMatching(/^ {2}- /),
      '    It failed.',
      expect.stringMatching(/^ {4}How to fix it: /),
      expect.stringMatching(/^ {4}Again: /),
    ]);
  }
});

it('shows on one page, offline, the statements and each finding with a text to copy', async () => {
  const answer = judged({ app: found('probe', ['duplicate']) });
  const printed = printableCheck(answer, { shown: { scenarios: new Map() } });
  const file = fileOf('check.html', await writePage(pageOf(printed), printText(printed)));
  const { page, context } = await open('about:blank');
  await context.setOffline(true);
  await page.goto(pathToFileURL(file).href);
  await page.getByRole('heading', { name: 'Your integration', exact: true }).waitFor();
  await page.getByText('6. does each event once').first().waitFor();
  await page.getByText('BROKEN 6. Your integration does each event once - job music #1 duplicate').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);

  const { page: plain } = await open(pathToFileURL(file).href, { scripts: false });
  expect(await plain.locator('noscript pre').innerText()).toBe(printText(printed));
});
