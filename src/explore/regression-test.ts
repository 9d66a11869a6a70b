import type { Finding } from './finding-book.ts';
import type { Failure } from './oracles.ts';
import { pairTrails, trailOf } from './pair-trails.ts';
import type { PlainRuns } from './plain-runs.ts';
import { readSteps } from './read-steps.ts';
import { drawRun } from './run-drawing.ts';
import type { Run } from '../runs/run-record.ts';
import { isOutcome, type Schedule, titleOf } from './schedule.ts';
import { storyMark, writeToken } from './token.ts';

type Replayable = Pick<Finding, 'token' | 'schedule'>;

/** What a replay by a command may take, in milliseconds: Vitest's own limit is meant for a function. */
const LIMIT = '120_000';

/**
 * A file for Vitest with a test for each finding, which fails until the story copes with it. `again` are the
 * words that follow `svc-emulator explore --replay TOKEN`; without them the story is a function of the file.
 */
export function regressionTest(findings: readonly Replayable[], again?: readonly string[]): string {
  const [head, testOf] = again ? ([OF_COMMAND, commandTest(again)] as const) : ([OF_FUNCTION, functionTest] as const);
  return [...head, ...findings.flatMap((finding) => ['', ...testOf(finding)])].join('\n');
}

const OF_COMMAND = ["import { execFileSync } from 'node:child_process';", "import { test } from 'vitest';"];
const OF_FUNCTION = ["import { exploreTest } from 'svc-emulator/vitest';"];

function commandTest(again: readonly string[]): (finding: Replayable) => string[] {
  return (finding) => {
    const words = ['svc-emulator', 'explore', '--replay', finding.token, ...again];
    return [
      `test(${testTitle(finding)}, () => {`,
      `  const words = [${words.map(quoted).join(', ')}];`,
      // A script there, which only a shell finds.
      "  execFileSync('npx', words, { stdio: 'inherit', shell: process.platform === 'win32' });",
      `}, ${LIMIT});`,
    ];
  };
}

function functionTest(finding: Replayable): string[] {
  return [`exploreTest(${testTitle(finding)}, story, { replay: ${quoted(finding.token)} });`];
}

function testTitle({ schedule }: Replayable): string {
  return quoted(`stands ${titleOf(schedule)}`);
}

/** As a literal of JavaScript, whatever it contains. */
function quoted(text: string): string {
  if (/['\\\p{Cc}\u2028\u2029]/u.test(text)) return JSON.stringify(text);
  return `'${text}'`;
}

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
  const drawn = { trail, pairs, drawing: drawRun(run, schedule, steps) };
  return { token, schedule, ...failure, seen: 1, output: run.output.slice(-2000), ...drawn };
}
