import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { VirtualClock } from '../../base/clock/clock.ts';
import { VERSION } from '../../base/package/version.ts';
import { CheckRun } from '../../check/check-run.ts';
import { readCheckSettings } from '../../check/check-settings.ts';
import { makeCheckReport } from '../../check/make-check-report.ts';
import { RunTally } from '../../check/spend/run-tally.ts';
import type { EmulatorTool } from '../../control/mcp/operation-tools.ts';
import { InputReader } from '../../service/http/input.ts';
import type { CommandLine } from '../remote.ts';
import { startedAs } from './explore-output.ts';
import { openRunner } from './explore-world.ts';

const input = z.strictObject({
  part: z
    .array(z.enum(['app', 'tests', 'spend']))
    .max(3)
    .default(['app', 'tests', 'spend'])
    .describe('parts; all by default.'),
  only: z.array(z.string().max(80)).max(100).default([]).describe('these scenarios, lies or families alone; with *.'),
  again: z.string().max(800).optional().describe('the token of one finding, which alone is run: is it mended?'),
  budget_seconds: z.number().positive().max(3600).default(120).describe('for so long it goes on; 120 by default.'),
});

type Input = z.output<typeof input>;

const HOW =
  'while the service does what its contract allows, and while it breaks it, and answers in statements about the integration. ' +
  'Mend what the first finding says, give its token as `again` until it is gone, then check again.';

/** Checks the command as `svc-emulator check -- COMMAND` does; answers statements and findings, without the parts. */
export function checkTool(command: CommandLine): EmulatorTool {
  const reader = new InputReader(input);
  return {
    name: 'check',
    description: `Runs \`${command.words.join(' ')}\` again and again, ${HOW}`,
    input,
    isReadOnly: false,
    call: (_control, args) => checked(command, reader.readKnown(args) as Input),
  };
}

const MOST_FINDINGS = 20;

async function checked(
  { words, flags, ending }: CommandLine,
  { part, only, again: token, budget_seconds: seconds }: Input,
) {
  const [clock, jobs, command] = [new VirtualClock(), availableParallelism(), words.join(' ')];
  const options = { only, budget: seconds * 1000, ...(token !== undefined && { again: token }) };
  const settings = readCheckSettings(options, { parts: part, jobs, version: VERSION });
  const late = new AbortController();
  const cancel = clock.after(seconds * 1000, () => late.abort());
  const signal = AbortSignal.any([ending, late.signal]);
  const { seed } = settings.app.search;
  const env = { CI: '1', ...process.env };
  const world = { use: 'check', env, jobs, seed, clock, signal, openTally: () => new RunTally() };
  const runner = await openRunner(words, { config: flags.config }, world);
  const again = { program: startedAs(process, process.cwd()), words: ['--', ...words] };
  try {
    const run = new CheckRun(
      {
        settings,
        version: VERSION,
        command,
        folder: process.cwd(),
        again,
        baseline: undefined,
        signal,
        saved: [],
        jobs: { packed: jobs, whole: 1 },
        warn: () => {},
      },
      runner,
      clock,
    );
    await run.run();
    const date = new Date(clock.real()).toISOString();
    const { report } = makeCheckReport({
      head: { version: VERSION, date, commit: null, lock: null, command, seed },
      reports: run.reports(),
      faults: run.faults,
      gates: { require: [], min: new Map(), maxBrittle: 0, allowed: [], baseline: undefined },
      asked: part,
      again,
      seconds: run.seconds,
      isNarrowed: settings.isNarrowed,
      hasAssert: false,
      hasApp: false,
    });
    const { measured, statements, findings, exit, error } = report;
    const left = Math.max(0, findings.length - MOST_FINDINGS);
    return { measured, statements, findings: findings.slice(0, MOST_FINDINGS), findings_left: left, exit, error };
  } finally {
    cancel();
    await runner.close();
  }
}
