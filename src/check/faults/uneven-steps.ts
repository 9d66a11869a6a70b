import { maskedText } from '../../control/mask/mask.ts';
import type { RequestRow, RunRecord } from '../runner/run-record.ts';
import type { Run } from '../runner/runner.ts';
import type { Step } from './step.ts';

export type PlainSteps = Pick<Run, 'record'> & { steps: readonly Step[] };

/** The first step that only one of two baseline runs had, and a message that lists all of them. */
export type PlainDifference = Pick<Step, 'kind'> & { message: string };

const REMEDY =
  'Remove random values, wait for everything that the tests start, and give parallel runs nothing in common.';
const MAX_STEPS = 10;
const MAX_BODY = 160;

export function unevenSteps(runs: readonly (PlainSteps & { which: string })[]): PlainDifference | undefined {
  const differing = runs.flatMap(({ steps, ...run }) => steps.map((step) => ({ step, ...run })));
  const found = differing.find(({ step }) => step.kind !== 'read') ?? differing[0];
  if (!found) return undefined;
  const { step, which, record } = found;
  const lists = runs.flatMap(({ steps, ...run }) => {
    const lines = steps.slice(0, MAX_STEPS).map((each) => stepLine(each, run.record));
    const more = steps.length > MAX_STEPS ? [`  and ${steps.length - MAX_STEPS} more`] : [];
    return [`Only the ${run.which} baseline run took:`, ...(lines.length === 0 ? ['  nothing'] : lines), ...more];
  });
  const head = `The two baseline runs differ: only the ${which} one took the step "${step.name}"${ofTest(step, record)}.`;
  return { kind: step.kind, message: [head, ...lists, REMEDY].join('\n') };
}

function stepLine(step: Step, record: RunRecord): string {
  const request = requestOf(step, record);
  const line = `  ${step.name}${ofTest(step, record)}`;
  if (!request) return line;
  const { method, path, request: body, status } = request;
  const said = maskedText(body ?? '');
  const sent = said && ` ${said.length > MAX_BODY ? `${said.slice(0, MAX_BODY)}…` : said}`;
  return `${line}: ${method} ${path}${sent}, returned ${status}`;
}

function ofTest(step: Step, record: RunRecord): string {
  const id = requestOf(step, record)?.account_id;
  const account = record.accounts?.find((each) => each.id === id);
  return account ? ` of account "${account.name}"` : '';
}

function requestOf({ ref }: Step, { requests, deliveries }: RunRecord): RequestRow | undefined {
  if (ref === undefined) return undefined;
  const subject = deliveries.find(({ id }) => id === ref)?.subject ?? ref;
  return requests.find(({ id, job_ids: jobs, run_id: run }) => id === ref || jobs.includes(subject) || run === subject);
}
