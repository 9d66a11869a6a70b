import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { invalid } from '../errors.ts';
import { ScheduleRunner } from '../explore/apply-schedule.ts';
import { readToken } from '../explore/token.ts';
import { type ExploreReport, makeReport, shortfallOf, TOO_FEW } from '../explore/explore-report.ts';
import { readSettings } from '../explore/explore-settings.ts';
import { SavedFindings } from '../explore/saved-findings.ts';
import { SearchRun } from '../explore/search-run.ts';
import { InputReader } from '../http/input.ts';
import type { EmulatorTool } from '../mcp/tool-server.ts';
import { VERSION } from '../package/version.ts';
import { RememberedRenders } from '../render/remembered-renders.ts';
import { startedAs } from './command-line.ts';
import { openRunner, warnUser } from './explore-world.ts';
import type { GivenCommand } from './run-tool.ts';

const names = z.array(z.string().max(80)).max(100);

const input = z.strictObject({
  token: z
    .string()
    .max(800)
    .optional()
    .describe("a finding's token: its schedule alone is run, to see whether it is mended."),
  budget_seconds: z
    .number()
    .positive()
    .max(3600)
    .default(30)
    .describe('for so long schedules are tried; 30 by default.'),
  schedules: z.int().min(1).max(1_000_000).optional().describe('how many schedules at most.'),
  stop_after: z.int().min(1).max(1000).optional().describe('ends after so many findings.'),
  bound: z.int().min(1).max(3).default(2).describe('how many deviations a schedule has at most; 2 by default.'),
  only: names.default([]).describe('these deviations or outcomes alone, such as lost_answer or take_fails.'),
  skip: names.default([]).describe('leaves these deviations or outcomes out.'),
  expect_failure: names.default([]).describe('the command may fail under these, such as empty_balance or status:*.'),
  allow: names.default([]).describe('lets these codes of the verdict pass, such as paid_again.'),
});

const HOW =
  'each time with the service behaving otherwise as it may (lost answers, twin deliveries, failing takes), and reports ' +
  "which schedules break it, in their smallest form. Mend the cause, give the finding's token to see that it holds, then " +
  'explore again.';

type Given = z.output<typeof input>;

/** Explores the command as `svc-emulator explore -- COMMAND` does, against emulators of its own; answers its JSON report. */
export function exploreTool(command: GivenCommand): EmulatorTool {
  const story = command.words.join(' ');
  const reader = new InputReader(input);
  return {
    name: 'explore',
    description: `Runs \`${story}\` again and again, ${HOW}`,
    input,
    isReadOnly: false,
    call: (_control, given) => explored(command, reader.readKnown(given)),
  };
}

async function explored({ words, flags, ending }: GivenCommand, given: Given): Promise<ExploreReport> {
  const { budget_seconds: seconds, stop_after: stopAfter, expect_failure: expectFailure, ...rest } = given;
  const replay = tokenOf(given);
  const options = { ...rest, budget: seconds * 1000, stopAfter, expectFailure, seed: replay?.seed };
  const settings = readSettings(options, { jobs: availableParallelism() });
  const { seed, bound } = settings.search;
  const clock = new VirtualClock();
  const renders = new RememberedRenders();
  const runner = await openRunner(words, { config: flags.config }, { settings, seed, renders, clock, signal: ending });
  const saved = new SavedFindings(process.cwd());
  const searchRun = new SearchRun(new ScheduleRunner(runner, clock, settings), clock, {
    ...settings,
    search: { ...settings.search, kills: false },
    judgement: settings,
    jobs: settings.jobs + 1,
    version: VERSION,
    signal: ending,
    warn: warnUser,
    saved: saved.read(),
  });
  try {
    const result = await (replay ? searchRun.replayAll([replay]) : searchRun.search());
    const about = {
      version: VERSION,
      command: words.join(' '),
      seed,
      bound,
      seconds: searchRun.seconds,
      again: { program: startedAs(process, process.cwd()), words: ['--', ...words] },
    };
    const shortfall = replay ? undefined : shortfallOf(result, settings);
    const report = makeReport(
      about,
      result,
      shortfall === undefined ? undefined : { exit_code: TOO_FEW, message: shortfall },
    );
    saved.keep(report.findings.map(({ token }) => token));
    return report;
  } finally {
    await runner.close();
    await renders.close();
  }
}

function tokenOf({ token }: Given) {
  if (token === undefined) return undefined;
  const replay = readToken(token);
  if (replay?.version === VERSION) return replay;
  throw invalid('token', `token is none of this version (${VERSION}); expected one that a finding was reported with.`);
}
