import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { mergeMutateReports } from '../../../src/check/merge-reports.ts';
import { pageOf, printJunit, printReportMarkdown, printSarif, printText } from '../../../src/check/print-report.ts';
import { readBaseline } from '../../../src/check/read-baseline.ts';
import { baselineFile } from '../../../src/check/tests/baseline.ts';
import { brokenGates, type Gates, readMin } from '../../../src/check/tests/gates.ts';
import { NOT_RUN_ALONE } from '../../../src/check/tests/judge-attempt.ts';
import {
  type MutateReport,
  mutateReport,
  type ReportedLie,
  reportSchema,
} from '../../../src/check/tests/mutate-report.ts';
import { printableMutate } from '../../../src/check/tests/print-mutate.ts';
import { writePage } from '../../../src/control/trace/write-trace.ts';
import { fileOf } from '../../cli/spawned-program.ts';
import { accessibilityFaults, startBrowser } from '../../support/browser.ts';

const open = await startBrowser();

const SITE = 'POST /v1/music/generations';

function row(lie: string, verdict: ReportedLie['verdict'], more: Partial<ReportedLie> = {}): ReportedLie {
  return { lie, family: 'money', site: SITE, unit: 'orders a song', verdict, harm: false, ...more };
}

const REPORT: MutateReport = {
  ...{ version: '0.1.0', command: 'npm test', seed: 1 },
  measured: { planned: 5, told: 4, runs: 9, seconds: 12.3, placebos: { run: 3, noticed: 0 } },
  control: { requests: 7, passed_dead: ['looks at <nothing>'] },
  units: [
    { name: 'orders a song', file: 'shop.test.ts', line: 12, ms: 40, sites: [SITE] },
    { name: 'looks at <nothing>', ms: 4, sites: [SITE] },
  ],
  lies: [
    row('refund.none', 'survived', { assertion: 'await expect(account).toHaveSpent({ credits: 0, refunds: 2 });' }),
    row('refund.none', 'survived', { unit: 'looks at <nothing>' }),
    row('spent.zero', 'noticed', { by: 'assertion', output: 'expected 0 to be 12' }),
    row('event.none', 'survived', { family: 'work', site: 'event music.generation.succeeded', harm: true }),
    row('chat.empty', 'unread', { family: 'content', site: 'POST /v1/chat/completions' }),
    row('charge.twice', 'no_verdict'),
  ],
  liberties: [
    { liberty: 'extra_field', unit: 'orders a song', tolerated: true },
    { liberty: 'key_order', unit: 'orders a song', tolerated: false },
  ],
  unreached: [
    { lie: 'key.any', why: 'no such road' },
    { lie: 'charge.none', why: 'left (budget)' },
  ],
  families: {
    money: { told: 2, noticed: 1 },
    work: { told: 1, noticed: 0 },
    content: { told: 1, noticed: 0 },
  },
  exit: 0,
};

const GATES: Gates = { min: new Map(), maxBrittle: undefined, baseline: undefined, today: '2026-11-23', isWhole: true };

function textOf(report: MutateReport): string {
  return printText(printableMutate(report));
}

it('prints of one family those first for which there is an assertion', () => {
  const named = ['usage.missing', 'refund.none', 'spent.zero'];
  const lies = named.map((lie) => row(lie, 'survived', lie === 'refund.none' ? { assertion: 'check(account);' } : {}));
  const { sections } = printableMutate({ ...REPORT, lies });
  expect(sections[0]?.items.map(({ rule }) => rule?.id)).toEqual(['refund.none', 'usage.missing', 'spent.zero']);
});

it('prints what harms first, with its test, its place and what sees it, and no total', () => {
  const text = textOf(REPORT);
  expect(text).toBe(
    [
      'Your tests ran 9 times in 12 s, while the service lied in one small way at a time: 4 of 5 planned lies reached a test.',
      'With the service dead (it answers 500 to every request) 1 of 2 tests that call the service still pass:',
      '  looks at <nothing>',
      '',
      'Not caught:',
      '  - event never sent (event.none, event music.generation.succeeded; your app did something else than usual)',
      '    Passed under it: orders a song (shop.test.ts:12)',
      '    How to fix it: In the first test above: expect an order whose event does not come to be finished by reading its job',
      '  - failed order not refunded (refund.none, POST /v1/music/generations)',
      '    Passed under it: orders a song (shop.test.ts:12) · looks at <nothing>',
      '    How to fix it: Add this assertion to the first test above, which needs the fixture account: await expect(account).toHaveSpent({ credits: 0, refunds: 2 });',
      '',
      'Add the assertion, then re-check that lie alone with --lie NAME; --trace FILE shows the run.',
      '1 change of content or form made no difference to anything here: --report FILE.html lists them.',
      'Called, but the answers are never checked: POST /v1/chat/completions.',
      'Brittle: orders a song fails where fields come in another order (key_order).',
      'Not exercised by any test, and not tried (`svc-emulator lies --explain NAME` says what a lie is):',
      '  security: key.any',
      'The time of --budget was up: 1 lie was not tried. A longer one tries more, --budget 0 all.',
      'Caught, of the lies that reached a test: money 1 of 2 · work 0 of 1 · content 0 of 1 · liberties 1 of 2 tolerated',
      '',
    ].join('\n'),
  );
});

it('says how many survivors there was no time to run once more, and what gives it', () => {
  const survivor = row('refund.none', 'survived', { output: NOT_RUN_ALONE });
  expect(textOf({ ...REPORT, lies: [survivor, row('spent.zero', 'survived')] })).toContain(
    'The time of --budget was up: 1 survivor was not run once more, alone, to be certain. Give a longer --budget, or 0.\n',
  );
  expect(textOf(REPORT)).not.toContain('not run once more');
});

it('prints at most 40 lines, however much survives', () => {
  const names = ['charge.none', 'charge.twice', 'spent.zero', 'spent.one_more', 'usage.text', 'refund.twice'];
  const sites = ['chat', 'images', 'music', 'videos', 'speech'].map((name) => `POST /v1/${name}`);
  const lies = names.flatMap((lie) => sites.map((site) => row(lie, 'survived', { site })));
  const lines = textOf({ ...REPORT, lies })
    .trimEnd()
    .split('\n');
  expect(lines.length).toBeLessThanOrEqual(40);
  expect(lines.filter((line) => /^Not caught \(\d+ more in the report\):$/.test(line))).toHaveLength(1);
});

it('prints an assertion once, with all survivors that it notices, at the test that it is for', () => {
  const spent = 'await expect(account).toHaveSpent({ credits: 1, refunds: 0 });';
  const refunded = 'await expect(account).toHaveSpent({ credits: 0, refunds: 2 });';
  const lies = [
    row('refund.none', 'survived', { assertion: refunded }),
    row('charge.twice', 'survived', { assertion: refunded }),
    row('charge.twice', 'survived', { assertion: spent, unit: 'looks at <nothing>' }),
    row('charge.none', 'survived', { assertion: spent, unit: 'looks at <nothing>' }),
    row('refund.twice', 'survived', { assertion: refunded }),
  ];
  const lines = textOf({ ...REPORT, lies }).split('\n');
  expect(lines.slice(4, 14)).toEqual([
    'Not caught:',
    `  - failed order not refunded (refund.none, ${SITE})`,
    `  - one order charged twice (charge.twice, ${SITE})`,
    `  - one charge refunded twice (refund.twice, ${SITE})`,
    '    Passed under it: orders a song (shop.test.ts:12)',
    '    Passed under it: orders a song (shop.test.ts:12) · looks at <nothing>',
    `    How to fix it: Add this assertion to the first test above, which needs the fixture account: ${refunded}`,
    `  - nothing is charged (charge.none, ${SITE})`,
    '    Passed under it: looks at <nothing>',
    `    How to fix it: Add this assertion to the first test above, which needs the fixture account: ${spent}`,
  ]);
});

it('says how many lies and liberties there was no time for, and what gives more', () => {
  const left = ['charge.none@ledger createSong', 'spent.zero', 'extra_field'].map((lie) => ({
    lie,
    why: 'left (budget)' as const,
  }));
  expect(textOf({ ...REPORT, unreached: left })).toContain(
    '\nThe time of --budget was up: 2 lies and 1 liberty were not tried. A longer one tries more, --budget 0 all.\n',
  );
});

it('writes JUnit with a case for each lie at its site, of which only what breaks a gate fails', () => {
  const xml = printJunit(printableMutate(REPORT, { breaks: ({ lie }) => lie === 'refund.none' }));
  expect(xml).toContain('tests="5" failures="1" skipped="3" errors="0"');
  expect(xml).toContain(`<testcase classname="money" name="refund.none@${SITE}">`);
  expect(xml).toContain('<failure type="survivor" message="Not caught: failed order not refunded">');
  expect(xml).toContain(`<testcase classname="money" name="spent.zero@${SITE}"/>`);
  expect(xml).toContain('<skipped message="no_verdict"/>');
  expect(xml).toContain('looks at &lt;nothing&gt;');
});

it('writes SARIF with a result for each survivor, at its file and line where they are known', () => {
  const sarif = JSON.parse(printSarif(printableMutate(REPORT)));
  expect(sarif.version).toBe('2.1.0');
  const [run] = sarif.runs;
  expect(run.results).toHaveLength(3);
  expect(run.tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(['event.none', 'refund.none']);
  expect(run.results[1]).toMatchObject({
    ...{ ruleId: 'refund.none', level: 'warning' },
    locations: [{ physicalLocation: { artifactLocation: { uri: 'shop.test.ts' }, region: { startLine: 12 } } }],
    partialFingerprints: { 'lieSiteUnit/v1': `refund.none@${SITE} orders a song` },
  });
  expect(run.results[2].locations).toBeUndefined();
  expect(run.results[0]).toMatchObject({ ruleId: 'event.none', level: 'error' });
});

it('writes Markdown for a summary, with the survivors as a list', () => {
  const text = printReportMarkdown(printableMutate(REPORT));
  expect(text).toContain('### Mutate: 2 lies not caught');
  expect(text).toContain(
    [
      `- failed order not refunded (refund.none, ${SITE})`,
      '  Passed under it: orders a song (shop.test.ts:12) · looks at &lt;nothing>',
      '  You refund your user what you never got back.',
      '  How to fix it: Add this assertion to the first test above, which needs the fixture account: await expect(account).toHaveSpent({ credits: 0, refunds: 2 });',
      `  \`npx svc-emulator mutate --lie 'refund.none@${SITE}' --trace lie.html -- npm test\``,
    ].join('  \n'),
  );
});

it('writes one page that opens without a network, with all that users wrote as text', async () => {
  const file = fileOf('report.html', await writePage(pageOf(printableMutate(REPORT)), ''));
  const { page, context } = await open('about:blank');
  await context.setOffline(true);
  await page.goto(pathToFileURL(file).href);
  await page.getByRole('heading', { level: 1, name: '2 lies not caught in npm test' }).waitFor();
  await page.getByRole('heading', { name: 'Not caught: failed order not refunded' }).waitFor();
  expect(await page.getByText('looks at <nothing>').count()).toBeGreaterThan(0);
  expect(await accessibilityFaults(page)).toEqual([]);
});

it('has a schema for other programs, which its reports fit', async () => {
  await expect(`${JSON.stringify(reportSchema(), null, 2)}\n`).toMatchFileSnapshot(
    '../../../fixtures/mutate-report.schema.json',
  );
  expect(mutateReport.parse(REPORT)).toEqual(REPORT);
});

it.each([
  ['a share that is reached', { min: readMin(['money=50']) }, []],
  ['a share that is not', { min: readMin(['money=51']) }, ['--min money=51: 1 of 2 were caught.']],
  [
    'a family of which no lie reached a test',
    { min: readMin(['form=1']) },
    ['--min form=1: no lie of form reached a test.'],
  ],
  ['as many brittle tests as may be', { maxBrittle: 1 }, []],
  ['more brittle tests', { maxBrittle: 0 }, ['--max-brittle 0: 1 failed under what the contract allows.']],
])('judges %s', (_what, gates, expected) => {
  expect(brokenGates(REPORT, { ...GATES, ...gates })).toEqual(expected);
});

it.each(['money', 'money=101', 'mony=5', 'money=-1'])('refuses the gate %s', (text) => {
  expect(() => readMin([text])).toThrow(`--min is ${text}; expected FAMILY=N such as money=90`);
});

/** A baseline of the report, as it is with these entries. */
function baseline(accepted: unknown[], lies = REPORT.lies) {
  const file = fileOf(
    'baseline.json',
    JSON.stringify({ version: '0.1.0', units: {}, lies, families: REPORT.families, accepted }),
  );
  const found = readBaseline(file, baselineFile);
  if (!found) throw new Error('There is no baseline.');
  return found;
}

const WORK = { lie: 'event.none', unit: 'orders a song', why: 'The queue has tests of its own.' };
const REFUND = [
  { lie: 'refund.*', unit: 'orders a song', why: 'Booked by hand.' },
  { lie: 'refund.*', unit: 'looks at <nothing>', why: 'Booked by hand.' },
];

it('lets survivors pass that the baseline has or accepts, and no new one', () => {
  const known = { ...GATES, baseline: baseline([]) };
  expect(brokenGates(REPORT, known)).toEqual([]);
  const fresh = { ...GATES, baseline: baseline([WORK], []) };
  expect(brokenGates(REPORT, fresh)).toEqual([
    `New since the baseline, not caught: failed order not refunded (refund.none@${SITE}).`,
  ]);
  expect(brokenGates(REPORT, { ...GATES, baseline: baseline([WORK, ...REFUND], []) })).toEqual([]);
});

it('leaves what is accepted out of the share that is asked for', () => {
  const accepting = { ...GATES, min: readMin(['money=100']), baseline: baseline(REFUND) };
  expect(brokenGates(REPORT, accepting)).toEqual([]);
});

it('breaks on an entry that excuses nothing any more, or whose day has gone by, where the whole was measured', () => {
  const idle = { ...WORK, lie: 'charge.none' };
  const past = { ...WORK, until: '2026-11-22' };
  const gates = { ...GATES, baseline: baseline([idle, past]) };
  expect(brokenGates(REPORT, gates)).toHaveLength(2);
  expect(brokenGates(REPORT, { ...gates, isWhole: false })).toEqual([]);
});

it('breaks where less of a family is noticed than before', () => {
  const before = baseline([]);
  const better = { ...before, families: { money: { told: 2, noticed: 2 } } };
  expect(brokenGates(REPORT, { ...GATES, baseline: better })).toEqual([
    'Of money 1 of 2 were caught; the baseline has 2 of 2.',
  ]);
});

it.each([
  [
    'an entry without a reason',
    { accepted: [{ lie: 'refund.none', unit: 'a' }] },
    'is no baseline: accepted[0].why: expected a text',
  ],
  ['an entry whose day is none', { accepted: [{ ...WORK, until: 'soon' }] }, 'accepted[0].until: expected a date'],
  ['no lists', { lies: 5 }, 'is no baseline: lies: '],
  ['a lie that is none', { lies: [null] }, 'is no baseline: lies[0]: '],
  ['no units', { units: null }, 'is no baseline: units: '],
  ['an entry that is none', { accepted: [null] }, 'is no baseline: accepted[0]: '],
  ['nothing', null, 'is no baseline: the file: '],
  ['a list', [], 'is no baseline: the file: '],
  ['a text', 'lies', 'is no baseline: the file: '],
])('refuses a baseline that has %s', (_what, content, message) => {
  const file = fileOf('baseline.json', JSON.stringify(content));
  expect(() => readBaseline(file, baselineFile)).toThrow(message);
});

it('merges shards to the report of the whole, but for runs and seconds', () => {
  const [first, second] = [0, 1].map((part) => ({
    ...REPORT,
    lies: REPORT.lies.filter((_, at) => at % 2 === part),
    liberties: REPORT.liberties.filter((_, at) => at % 2 === part),
  }));
  if (!first || !second) throw new Error('There are no shards.');
  const merged = mergeMutateReports([first, second]);
  expect(new Set(merged.lies)).toEqual(new Set(REPORT.lies));
  expect(merged).toMatchObject({ families: REPORT.families, liberties: REPORT.liberties, exit: 0 });
  expect(() => mergeMutateReports([first, { ...second, seed: 2 }])).toThrow('seed is 1 in one and 2 in another');
});
