import { counted } from '../base/counted.ts';
import {
  codePart,
  listParts,
  type ReportArticle,
  type ReportFile,
  tableParts,
  textPart,
} from '../control/orders/report-file.ts';
import { reportFile, type Shown as ShownScenarios } from './app/finding-articles.ts';
import type { CheckFinding, CheckReport } from './check-report.ts';
import type { JudgedCheck } from './make-check-report.ts';
import { countsLine, findingText } from './print-check.ts';
import { statementRow } from './statements.ts';
import { mutateFile, type Shown as ShownLies } from './tests/mutate-page.ts';

/** What a report does not say and its page shows. */
export interface ShownCheck {
  scenarios: ShownScenarios;
  lies?: ShownLies | undefined;
}

/** Articles of one page: what more there is is in the JSON. */
const MOST_ARTICLES = 60;

/** The report as a page shows it: the statements, then what is broken, each with the lanes or assertions of its part. */
export function checkFile({ report, complaints }: JudgedCheck, shown: ShownCheck): ReportFile {
  const { statements, findings, command, measured, error } = report;
  const details = detailsOf(report, shown);
  const broken = statements
    .filter(({ state }) => state === 'broken')
    .map(({ id, text }) => ({
      title: `${id}. Your integration ${text}: no`,
      articles: findings
        .filter(({ statement }, at) => statement === id && at < MOST_ARTICLES)
        .map((finding) => articleOf(finding, details(finding))),
    }));
  return {
    report: {
      ...{
        of: 'check',
        command,
        error: error?.message,
        title: countsLine(report),
        groups: [overview(report), ...broken],
      },
      sum: `Tried ${measured.run} of ${measured.planned} kinds of scenarios and lies in ${Math.round(measured.seconds)} s; seed ${report.seed}.`,
      parts: [...listParts('Gates', complaints), ...listParts('Expects success', expected(report))],
    },
  };
}

/** All statements, before what is broken. */
function overview(report: CheckReport): ReportFile['report']['groups'][number] {
  const isBroken = report.statements.some(({ state }) => state === 'broken');
  const rows = report.statements.map(({ id, text, state, evidence, why, next }) => {
    const said = state === 'held' ? evidence.join('; ') : [why, next].filter(Boolean).join(': ');
    return [
      `${id}. ${text}`,
      state.replaceAll('_', ' '),
      state === 'broken' ? counted(evidence.length, 'finding') : said,
    ];
  });
  const article: ReportArticle = {
    ...{
      id: 'statements',
      title: countsLine(report),
      note: 'of 15 statements',
      notes: [],
      heading: 'Your integration',
    },
    badge: { tone: isBroken ? 'bad' : 'wait', text: isBroken ? 'broken' : 'nothing broken' },
    rows: [tableParts('Statements', ['Your integration', 'State', 'Evidence'], rows)],
  };
  return { title: 'Statements', articles: [article] };
}

function expected({ parts: { app } }: CheckReport): string[] {
  return (app?.expects_success ?? []).map(
    ({ schedule, test, did }) => `${test} under ${schedule.map(({ deviation }) => deviation).join(', ')}: ${did}`,
  );
}

/** What an article of check says by itself. */
const SAID_ABOVE = ['Run it again', 'What it does to you', 'The schedule'];

type Details = (finding: CheckFinding) => ReportArticle['rows'];

/** What the pages of the parts show of a finding. */
function detailsOf({ parts: { app, tests } }: CheckReport, { scenarios, lies }: ShownCheck): Details {
  const articles = [
    ...(app ? reportFile(app, scenarios).report.groups : []),
    ...(tests ? mutateFile(tests, lies).report.groups : []),
  ].flatMap((group) => group.articles);
  return ({ token, title }) => {
    const article = articles.find(({ id, notes }) => id === token || title.endsWith(`(${notes[0]})`));
    const rows = article?.rows.map((row) => row.filter(({ title: head = '' }) => !SAID_ABOVE.includes(head))) ?? [];
    return rows.filter((row) => row.length > 0);
  };
}

function articleOf(finding: CheckFinding, details: ReportArticle['rows']): ReportArticle {
  const { token, part, kind, title, happened, advice, again, file, line, statement } = finding;
  const text = statementRow(statement)?.text ?? '';
  const place = file === undefined ? [] : [`${file}${line === undefined ? '' : `:${line}`}`];
  return {
    ...{ id: token, title, note: kind, heading: title, notes: [part, kind, ...place] },
    badge: { tone: part === 'tests' ? 'wait' : 'bad', text: part },
    rows: [
      [...listParts('What happened', happened), textPart('To mend it', advice)],
      [
        codePart('See it again', again, `Command for ${title}`),
        codePart('Copy for an assistant', findingText(finding, text), `Text of ${title}`),
      ],
      ...details,
    ],
  };
}
