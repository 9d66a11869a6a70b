import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { tryParseJson } from '../../base/text.ts';
import { BUILT_IN_ERROR_NAME, markThrownByApp, STACK_FRAME } from '../../client/runners/error-origin.ts';
import { type FailedTest, relativeToWorkingFolder } from './run-record.ts';

const [REPORTER, REPORT] = ['reporter.mjs', 'tests.jsonl'];

/**
 * A reporter of node:test that writes each failed test. It leaves out suites that fail only because of their tests.
 */
const SOURCE = `
const textOf = ({ message = '', cause } = {}) => cause?.message ? message + '\\nCaused by ' + textOf(cause) : message;
const valuesOf = ({ generatedMessage, actual, expected }) =>
  generatedMessage === false ? '\\n' + actual + ' !== ' + expected : '';
const originOf = ({ name, stack }) => {
  const [, file] = (${BUILT_IN_ERROR_NAME}.test(name) && ${STACK_FRAME}.exec(stack)) || [];
  return file ? '\\nat ' + file : '';
};
export default async function* (events) {
  for await (const { type, data } of events) {
    const { name, file, column, details = {} } = data;
    // Compiled code, as from tsx, is often one long line, so its line says nothing about the source.
    const line = data.line === 1 && column > 1 ? undefined : data.line;
    const { failureType, cause, message } = details.error ?? {};
    if (type !== 'test:fail' || failureType === 'subtestsFailed') continue;
    const isThrown = cause?.message !== undefined && cause.code !== 'ERR_ASSERTION';
    yield JSON.stringify({ name, file, line, isThrown, error: cause?.message ? textOf(cause) + valuesOf(cause) + originOf(cause) : message }) + '\\n';
  }
}
`;

export function nodeReporterVariables(
  { NODE_OPTIONS = '' }: NodeJS.ProcessEnv,
  folder: string,
): Record<string, string> {
  if (NODE_OPTIONS.includes('--test-reporter')) return {};
  const reporter = path.join(folder, REPORTER);
  writeFileSync(reporter, SOURCE);
  const to = (name: string, destination: string) =>
    `--test-reporter=${name} --test-reporter-destination="${destination.replaceAll('\\', '\\\\')}"`;
  const options = [to('spec', 'stdout'), to(pathToFileURL(reporter).href, path.join(folder, REPORT))];
  return { NODE_OPTIONS: [NODE_OPTIONS, ...options].join(' ').trim() };
}

/** True if the output names `--test-reporter`: the command sets this option itself, or its Node does not know it. */
export function isReporterRejected(output: string): boolean {
  return output.includes('--test-reporter');
}

export function readFailedNodeTests(folder: string): FailedTest[] {
  const file = path.join(folder, REPORT);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return lines.flatMap((line) => {
    const found = tryParseJson(line) as (FailedTest & { isThrown: boolean }) | undefined;
    if (!found) return [];
    const { isThrown, error, file: place, ...test } = found;
    return [
      {
        ...test,
        file: relativeToWorkingFolder(place),
        error: error !== undefined && isThrown ? markThrownByApp(error) : error,
      },
    ];
  });
}
