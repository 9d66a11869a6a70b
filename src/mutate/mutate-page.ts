import { pairTrails, trailOf } from '../explore/draw-run.ts';
import { COPY_SCRIPT, copied, dashboardStyle, printPairs, STYLE, textBlock } from '../explore/print-page.ts';
import { quotedForShell } from '../explore/token.ts';
import { lieRow } from '../faults/lies/lie-table.ts';
import { counted } from '../log/log.ts';
import { xmlText } from '../report-card/xml-text.ts';
import { libertyInWords, lieInWords } from './lie-words.ts';
import { bySite, type LieAtSite, survivorsOf } from './mutate-report.ts';
import type { Row } from './mutation-run.ts';
import { numbersLine } from './print-survivors.ts';
import { toSee } from './report-formats.ts';
import type { MutateReport } from './report-schema.ts';
import type { Truth } from './truth.ts';

/** What a report does not say and its page shows: the runs of survivors, and the one on the truth. */
export interface Shown {
  survivors: readonly Row[];
  truth: Truth | undefined;
}

/** The report as one page that needs nothing else: what users wrote is in it as text. */
export function printMutatePage(report: MutateReport, shown?: Shown): string {
  const { command, measured, seed } = report;
  const survivors = survivorsOf(report);
  const title =
    survivors.length === 0 ? 'No lie went unnoticed' : `${counted(survivors.length, 'lie')} that no test notices`;
  const sum = `${numbersLine(report)}. Told ${measured.told} of ${measured.planned} planned in ${counted(measured.runs, 'run')}, ${Math.round(measured.seconds)} s; seed ${seed}`;
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta name="color-scheme" content="light dark"><title>mutate: ${xmlText(command)}</title>`,
    `<style>${dashboardStyle()}</style><style>${STYLE}</style></head><body class="explored">`,
    `<header><h1>${title} <span>in <code>${xmlText(command)}</code></span></h1><p>${xmlText(sum)}.</p>${report.error ? textBlock(report.error.message) : ''}</header>`,
    `<div class="find-grid"><nav aria-label="Survivors">${contents(survivors)}</nav><main>`,
    ...survivors.map((site, at) => article(site, { id: `lie-${at + 1}`, report, shown })),
    control(report),
    families(report),
    noticed(report),
    unreached(report),
    `</main></div><script>${COPY_SCRIPT}</script></body></html>`,
    '',
  ].join('\n');
}

function contents(survivors: readonly LieAtSite[]): string {
  const links = survivors.map(
    ({ lie, field, site, harm }, at) =>
      `<li><a href="#lie-${at + 1}">${xmlText(lieInWords(lie, field))}<small>${xmlText(site)}${harm ? ', with harm' : ''}</small></a></li>`,
  );
  return links.length === 0 ? '' : `<h2>Your tests would not notice if</h2><ul>${links.join('')}</ul>`;
}

interface ArticleParts {
  id: string;
  report: MutateReport;
  shown: Shown | undefined;
}

function article(site: LieAtSite, { id, report, shown }: ArticleParts): string {
  const { key, lie, field, family, harm, rows } = site;
  const row = lieRow(lie);
  const badge = `<span class="badge" data-tone="${harm ? 'bad' : 'wait'}">${harm ? 'with harm' : family}</span>`;
  const rules = (row?.rule ?? []).join(' ');
  const units = rows
    .filter(({ verdict }) => verdict === 'survived')
    .map(({ unit }) => `<li>${xmlText(placeOf(unit, report))}</li>`);
  const again = `npx svc-emulator mutate --lie ${quotedForShell(key)} --trace lie.html -- ${report.command}`;
  return [
    `<article id="${id}"><header><p class="about">${badge} <span><code>${xmlText(key)}</code></span> <span>${rules}</span></p>`,
    `<h2>Your tests would not notice if ${xmlText(lieInWords(lie, field))}</h2></header>`,
    `<div class="halves"><section><h3>What it does to you</h3><p>${xmlText(row?.harm ?? '')}</p>`,
    `${harm ? '<p>Under it your app did something else than on the truth, and every test passed.</p>' : ''}</section>`,
    `<section><h3>Tests that met it and passed</h3><ul>${units.join('')}</ul></section></div>`,
    sideBySide(site, shown),
    `<div class="halves"><section>${copied('What sees it', `see-${id}`, toSee(site))}</section>`,
    `<section>${copied('Run it again', `again-${id}`, again)}</section></div></article>`,
  ].join('\n');
}

function placeOf(name: string, { units }: MutateReport): string {
  const unit = units.find((each) => each.name === name);
  if (unit?.file === undefined) return name;
  return `${name} (${unit.file}${unit.line === undefined ? '' : `:${unit.line}`})`;
}

/** What the test and the service did on the truth and under the lie. */
function sideBySide({ key }: LieAtSite, shown: Shown | undefined): string {
  const row = shown?.survivors.find(({ pair }) => pair.key === key);
  const truth = shown?.truth;
  const [lied, true_] = [row?.run?.records.get(row.unit.unit), row && truth?.run.records.get(row.unit.unit)];
  if (!row?.run || !truth || !lied || !true_) return '';
  const trails = [
    trailOf({ record: lied, began: row.run.began }),
    trailOf({ record: true_, began: truth.run.began }),
  ] as const;
  const changed = lied.requests.filter((each) => each.truth).map(toldPair);
  const heads = { did: ['Under the lie', 'all tests passed'], should: ['On the truth', 'the same test'] } as const;
  return [printPairs(pairTrails(...trails), heads), ...changed.slice(0, 2)].join('\n');
}

const MOST_BODY = 4000;

function toldPair({
  method,
  path,
  status,
  answer,
  truth,
}: {
  method: string;
  path: string;
  status: number;
  answer: string | null;
  truth?: { status: number; body: string | null } | null | undefined;
}): string {
  const name = `<code>${xmlText(`${method} ${path}`)}</code>`;
  const told = textBlock(`${status}\n${(answer ?? '').slice(0, MOST_BODY)}`);
  const true_ = textBlock(`${truth?.status ?? ''}\n${(truth?.body ?? '').slice(0, MOST_BODY)}`);
  return `<div class="halves"><section><h3>Told: ${name}</h3>${told}</section><section><h3>True</h3>${true_}</section></div>`;
}

function control({ control: { passed_dead: passed, requests } }: MutateReport): string {
  if (passed.length === 0) return '';
  const items = passed.map((name) => `<li>${xmlText(name)}</li>`);
  return `<section class="counts"><h2>Pass with the service dead</h2><p>${counted(requests, 'request')} answered 500 with nothing in it. These tests ask the service, and do not look at what it answers.</p><ul>${items.join('')}</ul></section>`;
}

function families(report: MutateReport): string {
  const rows = Object.entries(report.families).map(([name, { told, noticed: seen }]) => [
    name,
    String(told),
    String(seen),
  ]);
  const liberties = report.liberties.filter(({ tolerated }) => !tolerated);
  const brittle = liberties.map(
    ({ unit, liberty }) => `<li>${xmlText(unit)} fails where ${xmlText(libertyInWords(liberty))}</li>`,
  );
  const list =
    brittle.length === 0 ? '' : `<h2>Brittle: fail under what the contract allows</h2><ul>${brittle.join('')}</ul>`;
  return `<section class="counts"><h2>By family</h2>${table(['Family', 'Told', 'Noticed'], rows)}${list}</section>`;
}

function noticed(report: MutateReport): string {
  const rows = bySite(report.lies)
    .filter(({ verdict }) => verdict !== 'survived')
    .map(({ key, verdict, rows: [first] }) => [
      key,
      `${verdict}${first?.by ? ` (${first.by})` : ''}`,
      first?.unit ?? '',
    ]);
  return rows.length === 0
    ? ''
    : `<section class="counts"><h2>All others</h2>${table(['Lie', 'Verdict', 'Test'], rows)}</section>`;
}

function unreached({ unreached: none }: MutateReport): string {
  const rows = none.map(({ lie, why }) => [lie, why]);
  return rows.length === 0 ? '' : `<section class="counts"><h2>Not tried</h2>${table(['Lie', 'Why'], rows)}</section>`;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = heads.map((each) => `<th scope="col">${each}</th>`).join('');
  const body = rows.map(([first = '', ...others]) => {
    const cells = others.map((each) => `<td>${xmlText(each)}</td>`).join('');
    return `<tr><th scope="row"><code>${xmlText(first)}</code></th>${cells}</tr>`;
  });
  return `<table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table>`;
}
