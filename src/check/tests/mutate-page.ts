import { counted } from '../../base/counted.ts';
import { libertyInWords, lieInWords, lieRow } from '../../control/lies/lie-table.ts';
import {
  codePart,
  listParts,
  part,
  type ReportArticle,
  type ReportFile,
  type ReportPart,
  tableParts,
  textPart,
} from '../../control/orders/report-file.ts';
import { pairTrails, trailOf } from '../app/pair-trails.ts';
import { quotedForShell } from '../app/token.ts';
import type { RequestRow } from '../runner/run-record.ts';
import type { BaselineRuns } from './baseline-runs.ts';
import type { Row } from './judge-attempt.ts';
import { brittleOf, bySite, type LieAtSite, placeOf, survivingUnits, survivorsOf } from './mutate-report.ts';
import { numbersLine } from './print-survivors.ts';
import { toSee } from './report-formats.ts';
import type { MutateReport } from './report-schema.ts';

/** What a report does not say and its page shows: the runs of survivors, and the baseline run. */
export interface Shown {
  survivors: readonly Row[];
  baselineRuns: BaselineRuns | undefined;
}

/** The report as a page shows it. */
export function mutateFile(report: MutateReport, shown?: Shown): ReportFile {
  const { command, measured, seed } = report;
  const survivors = survivorsOf(report);
  const articles = survivors.map((site, at) => articleOf(site, { id: `lie-${at + 1}`, report, shown }));
  const runs = `${counted(measured.runs, 'run')}, ${Math.round(measured.seconds)} s; seed ${seed}`;
  return {
    report: {
      ...{ of: 'mutate', command, error: report.error?.message },
      title: survivors.length === 0 ? 'No lie was missed' : `${counted(survivors.length, 'lie')} not caught`,
      sum: `${numbersLine(report)}. ${measured.told} of ${measured.planned} planned lies reached a test in ${runs}.`,
      groups: [{ title: 'Not caught', articles }],
      parts: partsOf(report),
    },
  };
}

interface ArticleParts {
  id: string;
  report: MutateReport;
  shown: Shown | undefined;
}

function articleOf(site: LieAtSite, { id, report, shown }: ArticleParts): ReportArticle {
  const { key, lie, field, family, harm } = site;
  const row = lieRow(lie);
  const words = lieInWords(lie, field);
  const units = survivingUnits(site).map((unit) => placeOf(unit, report.units));
  const again = `npx svc-emulator mutate --lie ${quotedForShell(key)} --trace lie.html -- ${report.command}`;
  const harmed = harm ? ' Under it your app did something else than in the baseline run, and every test passed.' : '';
  return {
    ...{ id, title: words, note: `${site.site}${harm ? ', with harm' : ''}` },
    badge: harm ? { tone: 'bad', text: 'with harm' } : { tone: 'wait', text: family },
    notes: [key, (row?.rule ?? []).join(' ')].filter(Boolean),
    heading: `Not caught: ${words}`,
    rows: [
      [textPart('Harm', `${row?.harm ?? ''}${harmed}`), ...listParts('Tests that passed under it', units)],
      ...sideBySide(site, shown),
      [
        codePart('Assertion that catches it', toSee(site), `Assertion for ${key}`),
        codePart('Run it again', again, `Command for ${key}`),
      ],
    ],
  };
}

const MOST_TOLD = 2;
const SIDES = {
  label: 'Under the lie, Baseline run',
  heads: [
    ['Under the lie', 'all tests passed'],
    ['Baseline run', 'the same test'],
  ],
} as const;

/** What the test and the service did in the baseline run and under the lie. */
function sideBySide({ key }: LieAtSite, shown: Shown | undefined): ReportPart[][] {
  const row = shown?.survivors.find(({ pair }) => pair.key === key);
  const baselineRuns = shown?.baselineRuns;
  const [lied, plain] = [row?.run?.records.get(row.unit.unit), row && baselineRuns?.run.records.get(row.unit.unit)];
  if (!row?.run || !baselineRuns || !lied || !plain) return [];
  const pairs = pairTrails(
    trailOf({ record: lied, began: row.run.began }),
    trailOf({ record: plain, began: baselineRuns.run.began }),
  );
  const changed = lied.requests.filter((each) => each.truth).slice(0, MOST_TOLD);
  return [[{ blocks: [{ kind: 'pairs', ...SIDES, pairs }] }], ...changed.map(besideTruth)];
}

const MOST_BODY = 4000;

function besideTruth({ method, path, status, answer, truth }: RequestRow): ReportPart[] {
  const lines = (title: string, code: number | string, body: string | null | undefined) =>
    part(title, { kind: 'lines', text: `${code}\n${(body ?? '').slice(0, MOST_BODY)}` });
  return [
    lines(`Under the lie: ${method} ${path}`, status, answer),
    lines('Without it', truth?.status ?? '', truth?.body),
  ];
}

/** What is said of the whole, below the articles. */
function partsOf(report: MutateReport): ReportPart[] {
  const { control, families, lies, unreached } = report;
  const counts = Object.entries(families).map(([name, { told, noticed }]) => [name, String(told), String(noticed)]);
  const brittle = brittleOf(report).map(({ unit, liberty }) => `${unit} fails where ${libertyInWords(liberty)}`);
  const others = bySite(lies).filter(({ verdict }) => verdict !== 'survived');
  const rows = others.map(({ key, verdict, rows: [first] }) => {
    return [key, `${verdict}${first?.by ? ` (${first.by})` : ''}`, first?.unit ?? ''];
  });
  const dead = `Pass with the service dead: ${counted(control.requests, 'request')} answered 500 with nothing in it`;
  return [
    ...listParts(dead, control.passed_dead),
    ...tableParts('By family', ['Family', 'Reached a test', 'Caught'], counts),
    ...listParts('Brittle: fail under what the contract allows', brittle),
    ...tableParts('All others', ['Lie', 'Verdict', 'Test'], rows),
    ...tableParts(
      'Not tried',
      ['Lie', 'Why'],
      unreached.map(({ lie, why }) => [lie, why]),
    ),
  ];
}
