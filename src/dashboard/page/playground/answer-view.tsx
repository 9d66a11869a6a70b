import { Sparkles } from 'lucide-react';
import { Link } from 'wouter';
import { at } from '../data/paths.ts';
import { Credits } from '../pieces/credits.tsx';
import { ErrorNotice, Notice } from '../pieces/error-notice.tsx';
import { shortId } from '../pieces/id-chip.tsx';
import { JsonView } from '../pieces/json-view.tsx';
import { Section } from '../pieces/page-head.tsx';
import { StatusBadge } from '../pieces/status-badge.tsx';
import { AnswerMedia } from './answer-media.tsx';
import type { CallState } from './call-state.ts';
import { OrderedJob } from './ordered-job.tsx';

/** What came back: as what it is, and as JSON. */
export function AnswerView({ operation, state }: { operation: string; state: CallState }) {
  const { phase, text, json, jobs, error, warnings, dropped } = state;
  if (phase === 'idle') {
    return (
      <p className="empty framed row soft">
        <Sparkles aria-hidden /> The answer appears here.
      </p>
    );
  }
  const refusal = (json as Answered | undefined)?.error;
  return (
    <Section title="Answer" tools={<AnswerFacts state={state} />}>
      <div className="stack" aria-live="polite" aria-busy={phase !== 'done'}>
        <ErrorNotice error={error} />
        {refusal && (
          <Notice tone="bad" code={refusal.code}>
            {refusal.message}
          </Notice>
        )}
        {warnings && <Notice tone="wait">Ignored: {decodeURIComponent(warnings)}</Notice>}
        {dropped && <Notice tone="wait">Not known to the engine: {decodeURIComponent(dropped)}</Notice>}
        {(phase === 'streaming' || text !== '') && (
          <p className="answer-text pre" dir="auto" data-streams={phase === 'streaming' ? '' : undefined}>
            {text}
          </p>
        )}
        <AnswerMedia operation={operation} state={state} />
        {jobs.map((job) => (
          <OrderedJob key={job.id} job={job} />
        ))}
        {json !== undefined && (
          <details open={isData(state) || undefined}>
            <summary>JSON</summary>
            <JsonView value={shortened(json)} label="Answer body" />
          </details>
        )}
      </div>
    </Section>
  );
}

interface Answered {
  error?: { code: string; message: string };
}

/** Whether an answer is nothing but data, so that its JSON is what there is to see. */
function isData({ json, text, jobs }: CallState): boolean {
  const known = ['error', 'choices', 'text'];
  const { usage, ...rest } = json as Record<string, unknown>;
  const isMade = usage !== undefined && Array.isArray(rest.data);
  return text === '' && jobs.length === 0 && !isMade && !known.some((name) => name in rest);
}

function AnswerFacts({ state }: { state: CallState }) {
  const { status, credits, duration, firstAfter, requestId } = state;
  return (
    <span className="row wrap soft">
      {status === undefined ? 'Sending' : <StatusBadge status={status} />}
      {credits !== undefined && <Credits amount={-credits} unit />}
      {firstAfter !== undefined && <span>first piece after {firstAfter} ms</span>}
      {duration !== undefined && <span>{duration} ms</span>}
      {requestId && (
        <Link className="named mono" href={at.trail(requestId)} title="What became of it">
          {shortId(requestId)}
        </Link>
      )}
    </span>
  );
}

/** Longer texts in an answer are files as base64. */
const LONGEST = 2000;

function shortened(value: unknown): unknown {
  if (typeof value === 'string' && value.length > LONGEST) {
    return `${value.slice(0, 80)}… (${value.length} characters)`;
  }
  if (Array.isArray(value)) return value.map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shortened(each)]));
}
