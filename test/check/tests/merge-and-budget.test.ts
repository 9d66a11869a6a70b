import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { NOT_RUN_ALONE } from '../../../src/check/tests/judge-attempt.ts';
import type { MutateReport, ReportedLie } from '../../../src/check/tests/mutate-report.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { runCommand } from '../../support/run-command.ts';
import { MeasuredSuite, NODE_COMMAND, NODE_SUITE } from './measured-suite.ts';

const SITE = 'POST /v1/chat/completions';
const UNIT = 'answers a message';

function row(lie: string, verdict: ReportedLie['verdict'], more: Partial<ReportedLie> = {}): ReportedLie {
  return { lie, family: 'money', site: SITE, unit: UNIT, verdict, harm: false, ...more };
}

/** The report of one shard, as `--report` writes it. */
function shardOf(lie: ReportedLie): MutateReport {
  const measured = { planned: 1, told: 1, runs: 4, seconds: 2, placebos: { run: 0, noticed: 0 } };
  const marks = { requests: 'asked', file: 'read' };
  return {
    ...{ version: '0.1.0', command: 'npm test', seed: 1, measured, control: { requests: 1, passed_dead: [] } },
    units: [{ name: UNIT, file: 'shop.test.mjs', line: 14, ms: 40, sites: [SITE], marks }],
    ...{ lies: [lie], liberties: [], unreached: [], families: {}, exit: 0 },
  };
}

it('writes a baseline of the reports of all shards, by which the next merge is judged', async () => {
  const folder = emptyFolder();
  // Every merge but the first writes over the reports of the one before.
  const reports = ['json', 'xml', 'html', 'sarif', 'md'].flatMap((kind) => ['--report', `merged.${kind}`]);
  const merge = (shards: readonly MutateReport[], ...flags: string[]) => {
    const files = shards.map((_, at) => `${at + 1}.json`);
    for (const [at, shard] of shards.entries())
      writeFileSync(path.join(folder, `${at + 1}.json`), JSON.stringify(shard));
    return runCommand(['mutate', 'merge', '--baseline', 'base.json', ...reports, ...flags, ...files], {}, folder);
  };
  const survivor = row('charge.none', 'survived', { output: NOT_RUN_ALONE });
  const shards = [shardOf(row('spent.zero', 'noticed')), shardOf(survivor)];
  const absent = await merge(shards);
  expect([absent.exitCode, absent.stderr]).toEqual([2, expect.stringContaining('Make it with --update-baseline.')]);

  const made = await merge(shards, '--update-baseline');
  expect(made.exitCode, made.stderr).toBe(0);
  expect(made.stdout).toContain('1 survivor was not run once more, alone');
  expect(JSON.parse(readFileSync(path.join(folder, 'base.json'), 'utf8'))).toEqual({
    version: '0.1.0',
    units: { [UNIT]: { requests: 'asked', file: 'read' } },
    lies: [row('spent.zero', 'noticed'), row('charge.none', 'survived')].toSorted((a, b) => (a.lie < b.lie ? -1 : 1)),
    families: { money: { told: 2, noticed: 1 } },
    accepted: [],
  });
  expect((await merge(shards)).exitCode).toBe(0);
  const worse = await merge([shardOf(row('spent.zero', 'survived')), shardOf(survivor)]);
  expect(worse.exitCode).toBe(1);
  expect(worse.stdout).toContain(`New since the baseline, not caught: usage.credits_spent is 0 (spent.zero@${SITE})`);
  expect(worse.stdout).not.toContain('not caught: nothing is charged');
});

/** Both tests meet the lie, in one run, and neither reads what a message costs. */
const WEAK_SUITE = { 'shop.test.mjs': NODE_SUITE['shop.test.mjs'].replace(/assert\.deepEqual.*/, 'assert.ok(usage);') };

it('tries a lie of money after the time of --budget, and says that its survivor was not run alone', async () => {
  const suite = new MeasuredSuite(WEAK_SUITE, NODE_COMMAND);
  const update = ['--baseline', 'base.json', '--update-baseline'];
  const { code, report, stdout, output } = await suite.measure(['--only', 'spent.zero', '--budget', '1ms', ...update]);
  expect(code, output).toBe(0);
  expect(report.lies).not.toEqual([]);
  for (const row of report.lies) expect(row).toMatchObject({ verdict: 'survived', output: NOT_RUN_ALONE });
  expect(stdout).toContain('1 survivor was not run once more, alone, to be certain. Give a longer --budget, or 0.');
  const { lies } = JSON.parse(suite.read('base.json'));
  expect(lies).toHaveLength(report.lies.length);
  for (const row of lies) expect(row).not.toHaveProperty('alone');
});
