import { availableParallelism, loadavg } from 'node:os';
import { stripVTControlCharacters } from 'node:util';
import { errorLines, lastLines } from '../../base/output/output-line.ts';
import { counted, inLine, placeText } from '../../base/text.ts';
import { failedTestsIn } from '../../client/runners/junit.ts';
import { maskedText } from '../../control/mask/mask.ts';
import type { FailedTest } from './run-record.ts';
import { RunFault } from './runner.ts';

/** The most tests, lines of a failure, and lines of output in the message. */
const [MAX_TESTS, MAX_LINES, MAX_PRINTED] = [5, 12, 20];

/** The command passes in one baseline run and fails in another, so nothing can be compared. */
export class UnevenRuns extends RunFault {
  constructor({ tests, output, why }: { tests: readonly FailedTest[]; output: string; why: string }) {
    const plain = stripVTControlCharacters(output);
    const error = errorLines(plain, 1).trim();
    const named = failedTestsIn(plain.split('\n')).map((name) => ({ name, error }));
    const failed = tests.length > 0 ? tests : named;
    const lines = failed.length > 0 ? failedLines(failed) : [`  FAILED: ${error || why}`];
    const printed = plain.trim() === '' ? [] : ['It printed:', lastLines(plain, MAX_PRINTED)];
    const what = 'The baseline runs differ: with nothing changed, one passed and one failed.';
    super([what, ...lines, `${loadText()}Run it again on an idle machine, or with --jobs 1.`, ...printed].join('\n'));
  }
}

function failedLines(tests: readonly FailedTest[]): string[] {
  return tests.slice(0, MAX_TESTS).flatMap(({ name, file, line, error }) => {
    const lines = (error ?? '').trim().split('\n').slice(0, MAX_LINES);
    return [
      `  FAILED ${inLine(`${name}${placeText({ file, line })}`)}`,
      ...lines.filter(Boolean).map((each) => `    ${each}`),
    ];
  });
}

function loadText(): string {
  const [load = 0] = loadavg();
  return load === 0 ? '' : `The machine's load was ${load.toFixed(1)} on ${counted(availableParallelism(), 'core')}. `;
}

export function failedCommandText(failed: readonly FailedTest[], output: string, end = ''): string {
  const printed = maskedText(stripVTControlCharacters(output)).trimEnd().slice(-MAX_CHARACTERS);
  const said = printed.trim() === '' ? [end, 'It printed nothing.'] : ['It printed:', printed];
  return ['The command fails by itself: fix that first.', ...failedLines(failed), ...said].join('\n');
}

const MAX_CHARACTERS = 4000;
