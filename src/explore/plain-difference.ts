import type { RequestRow, RunRecord } from '../runs/run-record.ts';
import type { Step, StepKind } from './step.ts';

/** A plain run: what is on record of it, and the steps that were read from that. */
interface PlainSteps {
  record: RunRecord;
  steps: readonly Step[];
}

/** In what two plain runs differ: the kind of the first step that only one of them took, and all of it in words. */
export interface PlainDifference {
  kind: StepKind;
  message: string;
}

const REMEDY = 'Take out what is random in it, wait for what it starts, and let runs that go on at once share nothing.';
/** How many steps are named of each run, and how many characters of a body. */
const MOST_STEPS = 10;

/** What only one of two plain runs did; undefined where both took the same steps. */
export function differenceOf(first: PlainSteps, second: PlainSteps): PlainDifference | undefined {
  const [missing, added] = [without(first, second), without(second, first)];
  const differing = [...missing, ...added];
  // A story that looks once more is another one only where all else is the same.
  const step = differing.find(({ kind }) => kind !== 'read') ?? differing[0];
  if (!step) return undefined;
  const [which, { record }] = missing.includes(step) ? (['first', first] as const) : (['second', second] as const);
  const message = [
    `The story is not the same twice: only the ${which} plain run took the step "${step.name}"${ofTest(step, record)}.`,
    ...listOf('first', missing, first.record),
    ...listOf('second', added, second.record),
    REMEDY,
  ].join('\n');
  return { kind: step.kind, message };
}

function without({ steps }: PlainSteps, other: PlainSteps): Step[] {
  const names = new Set(other.steps.map(({ name }) => name));
  return steps.filter(({ name }) => !names.has(name));
}

function listOf(which: 'first' | 'second', steps: readonly Step[], record: RunRecord): string[] {
  const lines = steps
    .slice(0, MOST_STEPS)
    .map((step) => `  ${step.name}${ofTest(step, record)}${ofRequest(step, record)}`);
  const more = steps.length > MOST_STEPS ? [`  and ${steps.length - MOST_STEPS} more`] : [];
  return [`Only the ${which} plain run took:`, ...(lines.length === 0 ? ['  nothing'] : lines), ...more];
}

/** Whose step it is: the account of a test is called as the test. */
function ofTest(step: Step, record: RunRecord): string {
  const id = requestOf(step, record)?.account_id;
  const account = record.accounts?.find((each) => each.id === id);
  return account ? ` of account "${account.name}"` : '';
}

function ofRequest(step: Step, record: RunRecord): string {
  const request = requestOf(step, record);
  if (!request) return '';
  const { method, path, request: body, status } = request;
  const sent = body ? ` ${body.length > MOST_BODY ? `${body.slice(0, MOST_BODY)}…` : body}` : '';
  return `: ${method} ${path}${sent}, answered ${status}`;
}

/** The request that a step is, or that led to it. */
function requestOf({ ref }: Step, { requests, deliveries }: RunRecord): RequestRow | undefined {
  if (ref === undefined) return undefined;
  const subject = deliveries.find(({ id }) => id === ref)?.subject ?? ref;
  return requests.find(({ id, job_ids: jobs, run_id: run }) => id === ref || jobs.includes(subject) || run === subject);
}
const MOST_BODY = 160;
