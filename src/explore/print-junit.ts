import { xmlText } from '../report-card/xml-text.ts';
import type { ExploreReport } from './explore-report.ts';
import { titleOf } from './schedule.ts';

/** The report as JUnit XML: a test for each deviation that was tried, and one that fails for each finding. */
export function printExploreJunit(report: ExploreReport): string {
  const { findings, unstable, by_deviation: counts } = report;
  const tests = Object.keys(counts).length + findings.length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="svc-emulator explore" tests="${tests}" failures="${findings.length}">`,
    `  <testsuite name="${xmlText(report.command)}" tests="${tests}" failures="${findings.length}" time="${report.seconds}">`,
    ...Object.entries(counts).map(
      ([name, { run }]) => `    <testcase classname="deviation" name="${xmlText(name)}: ${run} schedules"/>`,
    ),
    ...findings.flatMap(({ schedule, kind, message, output, token }) => [
      `    <testcase classname="finding" name="${xmlText(titleOf(schedule))}">`,
      `      <failure type="${kind}" message="${xmlText(message)}">${xmlText(`--replay ${token} ${output}`)}</failure>`,
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
