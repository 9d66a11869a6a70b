import { useRecord } from '../data/queries.ts';
import type { ExplainedStep, Explanation, RequestRecord } from '../data/records.ts';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { LinkedText } from '../pieces/linked-text.tsx';
import type { Tone } from '../pieces/status-badge.tsx';

/** How long a story whose work is under way may be looked at before it is asked for again, in milliseconds. */
const AGAIN = 1000;

const TITLES: Record<string, string> = {
  received: 'Request',
  refused: 'Refused',
  validated: 'Validation',
  directives: 'Directives',
  faults: 'Fault rules',
  fixtures: 'Scripted answers',
  price: 'Price',
  charged: 'Charge',
  refunded: 'Refund',
  job: 'Job',
  render: 'Render',
  settled: 'Settlement',
  run: 'Run',
  events: 'Events',
  deliveries: 'Deliveries',
  delivery: 'Delivery',
  answered: 'Answer',
};

/** These are told only where they have something to say. */
const QUIET: Record<string, string> = {
  directives: 'No text carries',
  faults: '0 fault rules',
  fixtures: '0 scripted answers',
  charged: 'Nothing was charged',
};

/** What became of a request, in the order in which it happened. */
export function StorySteps({ record }: { record: RequestRecord }) {
  const path = `/explain/${record.id}`;
  const { data, error } = useRecord<Explanation>(path);
  const steps = data?.id === record.id ? data.steps : [];
  useRecord<Explanation>(path, { again: steps.some(isUnderWay) && AGAIN });
  return (
    <>
      <ErrorNotice error={error} />
      <ol className="story">{steps.filter(isTold).map(drawStep)}</ol>
    </>
  );
}

function drawStep(step: ExplainedStep, position: number) {
  return (
    <li key={`${position} ${step.step}`} className="story-step" data-tone={toneOf(step)}>
      <span className="story-dot" aria-hidden />
      <span className="story-title">{TITLES[step.step] ?? step.step}</span>
      <p className="story-note" dir="auto">
        <LinkedText text={step.text} />
      </p>
    </li>
  );
}

function isTold({ step, text }: ExplainedStep): boolean {
  const quiet = QUIET[step];
  return quiet === undefined || !text.startsWith(quiet);
}

function isUnderWay({ step, status }: ExplainedStep): boolean {
  return step === 'job' && (status === 'queued' || status === 'processing');
}

function toneOf(step: ExplainedStep): Tone {
  const { status, struck, error } = step;
  if (error || step.step === 'refused') return 'bad';
  if (struck || isUnderWay(step)) return 'wait';
  if (step.step === 'refunded') return 'good';
  if (step.step === 'answered') return Number(status) >= 400 || status === 0 ? 'bad' : 'good';
  return step.step === 'settled' || step.step === 'render' ? 'good' : 'plain';
}
