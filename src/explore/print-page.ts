import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { counted } from '../log/log.ts';
import { drawLanes } from '../orders/draw-lanes.ts';
import { drawPairs } from '../orders/draw-pairs.ts';
import type { Drawn } from '../orders/drawn.ts';
import { xmlText } from '../report-card/xml-text.ts';
import type { Pair, RunDrawing } from './draw-run.ts';
import type { ExploreReport, ReportedFinding } from './explore-report.ts';
import { type Difference, type Finding, tellingLines } from './finding-book.ts';
import { sectionOf, wordsOf } from './print-finding.ts';
import { entryKey, titleOf } from './schedule.ts';

/** What a report does not say and its page shows, by the token of each finding. */
export type Shown = ReadonlyMap<string, Pick<Finding, 'trail' | 'pairs' | 'drawing' | 'differences'>>;

/** The report as one page that needs nothing else: what users wrote is in it as text. */
export function printExplorePage(report: ExploreReport, shown: Shown): string {
  const { findings, unstable, command, schedules_run: run, schedules_left: left, seconds, seed, bound } = report;
  const sum = `${run} schedules in ${Math.round(seconds)} s, ${left} left; bound ${bound}, seed ${seed}`;
  const count = findings.length === 0 ? 'No findings' : counted(findings.length, 'finding');
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta name="color-scheme" content="light dark"><title>explore: ${xmlText(command)}</title>`,
    `<style>${dashboardStyle()}</style><style>${STYLE}</style></head><body class="explored">`,
    `<header><h1>${count} <span>in <code>${xmlText(command)}</code></span></h1><p>${sum}.</p>${report.error ? textBlock(report.error.message) : ''}</header>`,
    `<div class="find-grid"><nav aria-label="Findings">${contents(report)}</nav><main>`,
    ...findings.map((finding) => article(finding, { shown })),
    ...unstable.map((each) => article(each, { shown, unstable: `failed ${each.failed} of 3` })),
    counts(report),
    `</main></div><script>${COPY_SCRIPT}</script></body></html>`,
    '',
  ].join('\n');
}

/** That of the page which a trace has: its colours, letters and lanes. */
export function dashboardStyle(): string {
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
      `<li><span class="sign">${at + 1}</span><span>${xmlText(wordsOf(entry))}<br><code>${xmlText(entryKey(entry))}</code><br><small>How a client deals with it: ${xmlText(sectionOf(entry))}</small></span></li>`,
  );
  return [
    `<article id="${token}"><header><p class="about">${badge} <span>${unstable ?? 'fails 3 of 3'}</span> <span>${met}</span></p>`,
    `<h2>${xmlText(message)}</h2></header>`,
    `<div class="halves"><section><h3>The schedule</h3><ol class="entries">${entries.join('')}</ol></section>`,
    `<section><h3>What failed</h3>${differences.length === 0 ? `<p>${MEANT[kind]}</p>${kind === 'exit' && output.trim() !== '' ? textBlock(tellingLines(output, 2)) : ''}` : table(differences)}</section></div>`,
    drawing === undefined
      ? ''
      : `<section class="drawn"><h3>The trail of the failing run</h3>${printLanes(drawing)}</section>`,
    printPairs(pairs),
    trail.length === 0
      ? ''
      : `<section><details><summary>What happened, in its order</summary>${textBlock(trail.join('\n'))}</details></section>`,
    `<div class="halves"><section>${copied('Run it again', `again-${token}`, again)}`,
    output.trim() === '' ? '' : `<h3>What it printed at the end</h3>${textBlock(output.trimEnd())}`,
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
export function copied(title: string, id: string, value: string): string {
  const button = `<button type="button" class="copies" data-copies="${id}" aria-describedby="${id}-title" hidden>Copy</button>`;
  return `<div class="copied"><h3 id="${id}-title">${title}</h3>${button}</div>${textBlock(value, id)}`;
}

/** Lines stay lines, which the escaping of attributes would make spaces. */
export function textBlock(value: string, id?: string): string {
  return `<pre tabindex="0"${id === undefined ? '' : ` id="${id}"`}>${value.split('\n').map(xmlText).join('\n')}</pre>`;
}

/** A failing run as the dashboard draws an order, without what can be clicked. */
export function printLanes(drawing: RunDrawing): string {
  const label = 'The failing run on one axis of time; the list below says the same';
  return printTree(
    drawLanes(drawing, {
      ...{ scale: 'even', attributes: { role: 'img', 'aria-label': label }, bar: ['span', { className: 'bar' }] },
      inBar: ({ sign }) => (sign === undefined ? [] : [['span', { className: 'sign' }, String(sign)]]),
    }),
  );
}

/** What the two sides of a comparison are called: a title and a note each. */
interface PairHeads {
  did: readonly [string, string];
  should: readonly [string, string];
}

const PAIR_HEADS: PairHeads = {
  did: ['What happened here', 'the run that failed'],
  should: ['What should have come', 'an undisturbed run of the same outcome'],
};

/** What the app did beside what should have come, with the number of each step between them. */
export function printPairs(pairs: readonly Pair[], heads: PairHeads = PAIR_HEADS): string {
  const drawn = pairs.map(({ did, should }) => ({ sides: [did, should] as const, isSame: did === should }));
  if (drawn.every(({ isSame }) => isSame)) return '';
  const [did, should] = [head(...heads.did), head(...heads.should)];
  return printTree(drawPairs(`${heads.did[0]}, ${heads.should[0]}`, [did, should], drawn));
}

function head(title: string, note: string): Drawn {
  return ['span', null, ['b', null, title], ['small', null, note]];
}

/** A tree as HTML: what users wrote is in it as text. */
export function printTree(tree: Drawn): string {
  if (typeof tree === 'string') return xmlText(tree);
  const [tag, attributes, ...inside] = tree;
  const given = Object.entries(attributes ?? {}).filter(([, value]) => value !== undefined);
  const own = given.map(([name, value]) => ` ${name === 'className' ? 'class' : name}="${xmlText(valueText(value))}"`);
  return tag === 'lane-icon' ? '' : `<${tag}${own.join('')}>${inside.map(printTree).join('')}</${tag}>`;
}

function valueText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, part]) => `${name}:${part}`)
    .join(';');
}

/** The one script of a report's page: copies the text beside a button to the clipboard, and says so. */
export const COPY_SCRIPT = `
for (const button of document.querySelectorAll('button[data-copies]')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    const from = document.getElementById(button.dataset.copies);
    try {
      await navigator.clipboard.writeText(from.textContent);
    } catch {
      // Where the page may not, the person does: the text is selected.
      getSelection().selectAllChildren(from);
      button.textContent = 'Selected';
      return;
    }
    button.textContent = 'Copied';
  });
  button.addEventListener('blur', () => { button.textContent = 'Copy'; });
}
`;

/** What the page of a report has beside the dashboard's own style, in its colours. */
export const STYLE = `
html, body.explored { height: auto; min-height: 100%; overflow: visible; }
.explored > header { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: baseline; padding: 12px 16px; background: var(--sunken); border-bottom: 1px solid var(--line); }
.explored > header h1 { font-size: 15px; } .explored > header span, .explored > header p { color: var(--text-soft); font-weight: 400; }
.explored code, .explored pre { font: 12px/18px var(--mono); }
.find-grid { display: grid; grid-template-columns: 256px minmax(0, 1fr); }
.find-grid nav { border-right: 1px solid var(--line); }
.find-grid nav h2 { padding: 10px 16px 4px; color: var(--text-soft); font-size: 12px; font-weight: 400; }
.find-grid nav ul { list-style: none; } .find-grid nav p { padding: 0 16px 16px; color: var(--text-soft); font-size: 12px; }
.find-grid nav a { display: block; padding: 10px 16px; border-bottom: 1px solid var(--line); color: var(--text); font-weight: 500; text-decoration: none; overflow-wrap: anywhere; }
.find-grid nav a:hover { background: var(--hover); } .find-grid nav small { display: block; color: var(--text-soft); font-size: 12px; font-weight: 400; }
.explored article { border-bottom: 8px solid var(--sunken); }
.explored article > header { padding: 18px 16px 16px; border-bottom: 1px solid var(--line); }
.explored article h2 { max-width: 72ch; font-size: 20px; line-height: 28px; overflow-wrap: anywhere; text-wrap: balance; }
.about { display: flex; flex-wrap: wrap; gap: 6px 16px; margin-bottom: 8px; color: var(--text-soft); }
.explored section { padding: 14px 16px; min-width: 0; } .explored section h3 { margin: 0 0 8px; font-size: 13px; } .explored pre + h3 { margin-top: 14px !important; }
.halves { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); border-bottom: 1px solid var(--line); } .halves section + section { border-left: 1px solid var(--line); }
.entries { display: grid; gap: 8px; list-style: none; } .entries li { display: grid; grid-template-columns: 22px minmax(0, 1fr); gap: 8px; } .entries code, .entries small { color: var(--text-soft); font-size: 12px; overflow-wrap: anywhere; }
.sign { position: relative; isolation: isolate; display: grid; place-items: center; width: 20px; height: 20px; color: light-dark(#fff, #241a06); font-size: 11px; font-weight: 700; line-height: 20px; }
.sign::before { position: absolute; inset: 3px; z-index: -1; border-radius: 2px; background: var(--wait); content: ""; rotate: 45deg; }
.explored .lanes { --label: 208px; } .explored .track-name { max-width: 124px; }
.bar:has(.sign) .bar-text { padding-left: 14px; }
.bar .sign { position: absolute; top: 0; left: -10px; z-index: 3; } .explored .bar { cursor: default; }
.bar[data-late] .bar-note { left: auto; right: calc(100% + 12px); }
.drawn { border-bottom: 1px solid var(--line); } .drawn .lanes { margin: 0; }
.explored pre { padding: 8px 12px; border: 1px solid var(--line); border-radius: var(--radius); background: var(--sunken); overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
.explored summary { cursor: pointer; font-weight: 600; margin-bottom: 8px; }
.explored table { width: 100%; border-collapse: collapse; } .explored table th, .explored table td { height: 30px; padding: 4px 12px 4px 0; border-bottom: 1px solid var(--line); text-align: start; overflow-wrap: anywhere; font-weight: 400; }
.explored thead th { color: var(--text-soft); font-size: 12px; } .explored mark { padding: 0 3px; border-radius: 3px; background: var(--bad-fill); color: var(--bad); }
.pairs { padding: 0 !important; border-bottom: 1px solid var(--line); } .pairs small { display: block; color: var(--text-soft); font-size: 12px; }
.copied { display: flex; justify-content: space-between; align-items: center; margin-bottom: 8px; } .explored .copied h3 { margin: 0; }
.copies { padding: 4px 12px; border: 1px solid var(--line); border-radius: var(--radius); background: none; color: var(--text); font: inherit; font-size: 12px; cursor: pointer; } .copies:hover { background: var(--hover); }
.counts table { max-width: 480px; }
@media (max-width: 1020px) { .find-grid, .halves { grid-template-columns: minmax(0, 1fr); } .find-grid nav { border-right: 0; } .halves section + section { border-left: 0; border-top: 1px solid var(--line); } }
@media (max-width: 720px) { .explored .lanes { --label: 116px; } .explored .track-name { max-width: 64px; } .axis span:not([data-first], [data-last]) { display: none; } .lane-name { font-size: 12px; } .bar:not([data-look="money"]) .bar-text { display: none; } }
`;
