import { xmlText } from '../report-card/xml-text.ts';
import type { ExploreReport, ReportedFinding } from './explore-report.ts';
import { sectionOf, wordsOf } from './print-finding.ts';
import { titleOf } from './schedule.ts';

const STYLE = `
:root { color-scheme: light dark; font: 13px/20px system-ui, sans-serif; }
body { margin: 0 auto; max-width: 960px; padding: 24px 16px; }
h1 { font-size: 18px; line-height: 26px; } h2 { font-size: 15px; margin: 0 0 8px; }
article { border: 1px solid #8886; border-left: 3px solid #b3202c; border-radius: 6px; margin: 16px 0; padding: 16px; }
article.unstable { border-left-color: #8a5200; }
pre { background: #8881; border-radius: 6px; overflow-x: auto; padding: 8px; white-space: pre-wrap; }
table { border-collapse: collapse; } td, th { padding: 2px 16px 2px 0; text-align: left; }
td:nth-child(n + 2) { font-variant-numeric: tabular-nums; }`;

/** The report as one page that needs nothing else: what users wrote stands in it as text. */
export function printExplorePage(report: ExploreReport): string {
  const { findings, unstable, command, schedules_run: run, schedules_left: left, seconds, seed, bound } = report;
  const sum = `${run} schedules in ${Math.round(seconds)} s, ${left} left; bound ${bound}, seed ${seed}.`;
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>explore: ${xmlText(command)}</title><style>${STYLE}</style></head><body><main>`,
    `<h1>${findings.length === 0 ? 'Nothing found' : `Found: ${findings.length}`}</h1>`,
    `<p><code>${xmlText(command)}</code></p><p>${sum}</p>`,
    ...findings.map((finding) => article(finding, command)),
    ...unstable.map((each) => article(each, command, `Failed ${each.failed} of 3; what differed: ${each.differed}`)),
    counts(report),
    '</main></body></html>',
    '',
  ].join('\n');
}

function article(finding: ReportedFinding, command: string, unstable?: string): string {
  const { schedule, kind, message, seen, output, token, test } = finding;
  return [
    `<article${unstable === undefined ? '' : ' class="unstable"'}>`,
    `<h2>${xmlText(titleOf(schedule) || 'The plain run')}</h2>`,
    `<p><strong>${kind}</strong>: ${xmlText(message)}${seen > 1 ? ` (${seen} schedules come to this)` : ''}</p>`,
    ...(unstable === undefined ? [] : [`<p>${xmlText(unstable)}</p>`]),
    `<ol>${schedule.map((entry) => `<li>${xmlText(wordsOf(entry))} (${xmlText(sectionOf(entry))})</li>`).join('')}</ol>`,
    ...(output.trim() === '' ? [] : [`<details><summary>What it printed</summary>${text(output)}</details>`]),
    `<p>See it again:</p>${text(`svc-emulator explore --replay ${token} -- ${command}`)}`,
    `<details><summary>As a test</summary>${text(test)}</details>`,
    '</article>',
  ].join('\n');
}

function counts({ by_deviation: rows }: ExploreReport): string {
  const lines = Object.entries(rows).map(
    ([name, { run, failed }]) => `<tr><td>${xmlText(name)}</td><td>${run}</td><td>${failed}</td></tr>`,
  );
  return `<h2>By deviation</h2><table><tr><th>Deviation</th><th>Run</th><th>Failed</th></tr>${lines.join('')}</table>`;
}

/** Lines stay lines, which the escaping of attributes would make spaces. */
function text(value: string): string {
  return `<pre>${value.split('\n').map(xmlText).join('\n')}</pre>`;
}
