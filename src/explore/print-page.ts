import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { counted } from '../log/counted.ts';
import { xmlText } from '../report-card/xml-text.ts';
import { COPY_SCRIPT } from './copy-script.ts';
import type { ExploreReport, ReportedFinding } from './explore-report.ts';
import type { Finding } from './finding-book.ts';
import { STYLE } from './page-style.ts';
import { tellingLines } from './plain-runs.ts';
import { sectionOf, wordsOf } from './print-finding.ts';
import { printLanes } from './print-lanes.ts';
import { printPairs } from './print-pairs.ts';
import { entryKey, titleOf } from './schedule.ts';
import type { Difference } from './state-differences.ts';

/** What a report does not say and its page shows, by the token of each finding. */
export type Shown = ReadonlyMap<string, Pick<Finding, 'trail' | 'pairs' | 'drawing' | 'differences'>>;

/** The report as one page that needs nothing else: what users wrote stands in it as text. */
export function printExplorePage(report: ExploreReport, shown: Shown): string {
  const { findings, unstable, command, schedules_run: run, schedules_left: left, seconds, seed, bound } = report;
  const sum = `${run} schedules in ${Math.round(seconds)} s, ${left} left; bound ${bound}, seed ${seed}`;
  const count = findings.length === 0 ? 'No findings' : counted(findings.length, 'finding');
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta name="color-scheme" content="light dark"><title>explore: ${xmlText(command)}</title>`,
    `<style>${dashboardStyle()}</style><style>${STYLE}</style></head><body class="explored">`,
    `<header><h1>${count} <span>in <code>${xmlText(command)}</code></span></h1><p>${sum}.</p>${report.error ? text(report.error.message) : ''}</header>`,
    `<div class="find-grid"><nav aria-label="Findings">${contents(report)}</nav><main>`,
    ...findings.map((finding) => article(finding, { shown })),
    ...unstable.map((each) => article(each, { shown, unstable: `failed ${each.failed} of 3` })),
    counts(report),
    `</main></div><script>${COPY_SCRIPT}</script></body></html>`,
    '',
  ].join('\n');
}

/** That of the page which a trace has: its colours, letters and lanes. */
function dashboardStyle(): string {
  const page = readFileSync(createRequire(import.meta.url).resolve('#dashboard/trace-page.html'), 'utf8');
  return /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? '';
}

function contents({ findings, unstable, by_deviation: tried }: ReportLists): string {
  const link = ({ token, schedule, kind, seen }: ReportedFinding) =>
    `<li><a href="#${token}">${xmlText(titleOf(schedule))}<small>${kind}, ${counted(seen, 'schedule')}</small></a></li>`;
  const list = (title: string, some: readonly ReportedFinding[]) =>
    some.length === 0 ? '' : `<h2>${title}</h2><ul>${some.map(link).join('')}</ul>`;
  const calm = Object.entries(tried).filter(([, { failed }]) => failed === 0);
  const names = calm.map(([name]) => xmlText(name)).join(', ');
  return [
    list('Findings', findings),
    list('Unstable', unstable),
    names === '' ? '' : `<h2>Tried, none failed</h2><p>${names}</p>`,
  ].join('');
}

type ReportLists = Pick<ExploreReport, 'findings' | 'unstable' | 'by_deviation'>;

interface ArticleParts {
  shown: Shown;
  unstable?: string;
}

function article(finding: ReportedFinding, { shown, unstable }: ArticleParts): string {
  const { schedule, kind, message, seen, output, token, test, again } = finding;
  const { trail = [], pairs = [], drawing, differences = [] } = shown.get(token) ?? {};
  const badge = `<span class="badge" data-tone="${unstable === undefined ? 'bad' : 'wait'}">${kind}</span>`;
  const met = `${counted(seen, 'schedule')} shrank to this`;
  const entries = schedule.map(
    (entry, at) =>
      `<li><span class="sign">${at + 1}</span><span>${xmlText(wordsOf(entry))}<br><code>${xmlText(entryKey(entry))}</code><br><small>How a client meets it: ${xmlText(sectionOf(entry))}</small></span></li>`,
  );
  return [
    `<article id="${token}"><header><p class="about">${badge} <span>${unstable ?? 'fails 3 of 3'}</span> <span>${met}</span></p>`,
    `<h2>${xmlText(message)}</h2></header>`,
    `<div class="halves"><section><h3>The schedule</h3><ol class="entries">${entries.join('')}</ol></section>`,
    `<section><h3>What failed</h3>${differences.length === 0 ? `<p>${MEANT[kind]}</p>${kind === 'exit' && output.trim() !== '' ? text(tellingLines(output, 2)) : ''}` : table(differences)}</section></div>`,
    drawing === undefined
      ? ''
      : `<section class="drawn"><h3>The trail of the failing run</h3>${printLanes(drawing)}</section>`,
    printPairs(pairs),
    trail.length === 0
      ? ''
      : `<section><details><summary>What happened, in its order</summary>${text(trail.join('\n'))}</details></section>`,
    `<div class="halves"><section>${copied('Run it again', `again-${token}`, again)}`,
    output.trim() === '' ? '' : `<h3>What it printed at the end</h3>${text(output.trimEnd())}`,
    `</section><section>${copied('Keep it as a test', `test-${token}`, test)}</section></div></article>`,
  ].join('\n');
}

const MEANT: Record<ReportedFinding['kind'], string> = {
  exit: 'The story itself did not pass.',
  hang: 'The story took ten times as long as its plain run, and 30 s more.',
  verdict: 'The emulator’s verdict found what it does not find in the plain run.',
  spend: 'The service took other credits than in an undisturbed run of the same outcome.',
  receiver: 'A delivery was not answered as it has to be.',
  probe: 'The app’s own state is one that no undisturbed run of the same outcome ends in.',
  check: 'The check that was given did not pass.',
};

function table(differences: readonly Difference[]): string {
  const rows = differences
    .slice(0, 12)
    .map(
      ({ path, was, is }) =>
        `<tr><th scope="row"><code>${xmlText(path)}</code></th><td>${xmlText(was)}</td><td><mark>${xmlText(is)}</mark></td></tr>`,
    );
  return `<table><thead><tr><th scope="col">The app’s own state</th><th scope="col">Undisturbed</th><th scope="col">Here</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function counts({ by_deviation: rows }: ExploreReport): string {
  const lines = Object.entries(rows).map(
    ([name, { run, failed }]) =>
      `<tr><th scope="row"><code>${xmlText(name)}</code></th><td>${run}</td><td>${failed}</td></tr>`,
  );
  return `<section class="counts"><h2>By deviation</h2><table><thead><tr><th scope="col">Deviation</th><th scope="col">Run</th><th scope="col">Failed</th></tr></thead><tbody>${lines.join('')}</tbody></table></section>`;
}

/** A text with a button that takes it along, once there is a script. */
function copied(title: string, id: string, value: string): string {
  const button = `<button type="button" class="copies" data-copies="${id}" aria-describedby="${id}-title" hidden>Copy</button>`;
  return `<div class="copied"><h3 id="${id}-title">${title}</h3>${button}</div>${text(value, id)}`;
}

/** Lines stay lines, which the escaping of attributes would make spaces. */
function text(value: string, id?: string): string {
  return `<pre tabindex="0"${id === undefined ? '' : ` id="${id}"`}>${value.split('\n').map(xmlText).join('\n')}</pre>`;
}
