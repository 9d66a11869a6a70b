import { xmlText } from '../report-card/xml-text.ts';
import type { ExploreReport } from './explore-report.ts';
import { titleOf } from './schedule.ts';

/** The report as JUnit XML: a test for each deviation that was tried, and one that fails for each finding. */
export function printExploreJunit(report: ExploreReport): string {
  const { findings, unstable, error, by_deviation: counts } = report;
  const errors = error ? 1 : 0;
  const tests = Object.keys(counts).length + findings.length + errors;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="svc-emulator explore" tests="${tests}" failures="${findings.length}" errors="${errors}">`,
    `  <testsuite name="${xmlText(report.command)}" tests="${tests}" failures="${findings.length}" errors="${errors}" time="${report.seconds}">`,
    ...Object.entries(counts).map(
      ([name, { run }]) => `    <testcase classname="deviation" name="${xmlText(name)}: ${run} schedules"/>`,
    ),
    ...(error
      ? [
          '    <testcase classname="explore" name="ends well">',
          `      <error type="exit ${error.exit_code}" message="${xmlText(error.message)}"/>`,
          '    </testcase>',
        ]
      : []),
    ...findings.flatMap(({ schedule, kind, message, output, again }) => [
      `    <testcase classname="finding" name="${xmlText(titleOf(schedule))}">`,
      `      <failure type="${kind}" message="${xmlText(message)}">${xmlText(`${again} ${output}`)}</failure>`,
      '    </testcase>',
    ]),
    ...(unstable.length === 0
      ? []
      : [
          `    <system-out>${xmlText(unstable.map(({ schedule }) => `unstable: ${titleOf(schedule)}`).join('; '))}</system-out>`,
        ]),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}
