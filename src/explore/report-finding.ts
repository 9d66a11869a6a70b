import type { Finding } from './finding-book.ts';
import type { Failure } from './oracles.ts';
import { pairTrails } from './pair-trails.ts';
import type { PlainRuns } from './plain-runs.ts';
import { readSteps } from './read-steps.ts';
import { drawRun } from './run-drawing.ts';
import type { Run } from './run-record.ts';
import { isOutcome, type Schedule } from './schedule.ts';
import { storyMark, writeToken } from './token.ts';
import { trailOf } from './trail-lines.ts';

/** A run that failed, and why. */
export interface Failed {
  run: Run;
  failure: Failure;
}

export interface TellingParts {
  version: string;
  seed: number;
  plain: PlainRuns;
}

/** A failing run as a finding: with its token, its trail, and the undisturbed run of the same outcome beside it. */
export async function reportFinding(
  schedule: Schedule,
  { run, failure }: Failed,
  { version, seed, plain }: TellingParts,
): Promise<Finding> {
  const token = writeToken({ version, seed, story: storyMark(plain.registry?.plain ?? []), schedule });
  const { steps } = readSteps(run.record, plain.numbering);
  const trail = trailOf(run);
  const usual = await plain.usual(schedule.filter(isOutcome));
  const pairs = usual ? pairTrails(trail, trailOf(usual)) : [];
  const told = { trail, pairs, drawing: drawRun(run, schedule, steps) };
  return { token, schedule, ...failure, seen: 1, output: run.output.slice(-2000), ...told };
}
