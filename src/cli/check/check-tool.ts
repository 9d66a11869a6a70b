import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { VirtualClock } from '../../base/clock/virtual-clock.ts';
import { VERSION } from '../../base/package/package-folder.ts';
import { BASELINE_FILE, readCheckBaseline } from '../../check/baseline.ts';
import { makeReport } from '../../check/make-report.ts';
import { CheckResults } from '../../check/results.ts';
import { parseCheckSettings } from '../../check/settings.ts';
import type { EmulatorTool } from '../../control/mcp/tool-server.ts';
import { InputReader } from '../../service/http/input.ts';
import type { CommandToolOptions } from '../remote.ts';
import { makeCheckInvocation } from './check-environment.ts';
import { makeReportHeader, today } from './check-output.ts';
import { ReportMask } from './report-mask.ts';
import { prepareCheckRun } from './run-check.ts';

const checkInput = z.strictObject({
  only: z
    .array(z.string().max(80))
    .max(100)
    .default([])
    .describe('only these checks, faults or families; * is a wildcard.'),
  replay: z.string().max(800).optional().describe('the token of a finding; only this finding is run.'),
  budget_seconds: z.number().positive().max(3600).default(120).describe('the time limit in seconds (default: 120).'),
});

const HOW_CHECKED =
  'with faults that the contract allows. Returns the checks of the integration. ' +
  'Fix the first finding, pass its token as `replay` until it is gone, then check again.';

const MAX_FINDINGS = 20;

async function checked(
  { words, flags, ending: signal }: CommandToolOptions,
  { only, replay, budget_seconds: seconds }: z.output<typeof checkInput>,
) {
  const options = { only, budget: seconds * 1000, ...(replay !== undefined && { replay }) };
  const settings = parseCheckSettings(options, { jobs: availableParallelism(), version: VERSION });
  const [results, clock] = [new CheckResults(), new VirtualClock()];
  const began = clock.real();
  const quiet = { saved: [], warn: () => {} };
  const { run, close } = await prepareCheckRun(
    words,
    { config: flags.config },
    { settings, signal, results, ...quiet },
  );
  try {
    await run();
    const { report } = makeReport({
      head: makeReportHeader(words.join(' '), settings.seed),
      results,
      settings,
      baseline: readCheckBaseline(BASELINE_FILE),
      isWritten: false,
      again: makeCheckInvocation(words),
      seconds: (clock.real() - began) / 1000,
      today: today(),
      hasAssert: false,
      hasApp: false,
    });
    const { measured, checks, findings, exit, error } = new ReportMask().of(report);
    const left = Math.max(0, findings.length - MAX_FINDINGS);
    return { measured, checks, findings: findings.slice(0, MAX_FINDINGS), findings_left: left, exit, error };
  } finally {
    await close();
  }
}

export function createCheckTool(command: CommandToolOptions): EmulatorTool {
  const reader = new InputReader(checkInput);
  return {
    name: 'check',
    description: `Runs \`${command.words.join(' ')}\` many times, ${HOW_CHECKED}`,
    input: checkInput,
    isReadOnly: false,
    call: (_control, args) => checked(command, reader.readKnown(args)),
  };
}
