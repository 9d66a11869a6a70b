import { Sparkles } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { useSecond } from '../data/account-and-clock.ts';
import { at } from '../data/addresses.ts';
import type { Job } from '../data/records.ts';
import { AudioPlayer, MediaView } from '../pieces/media-view.tsx';
import { ErrorNotice, Notice, Section } from '../pieces/page-parts.tsx';
import { Credits, IdChip, JsonView, lengthOfTime, StatusBadge, shortId, TextLink } from '../pieces/values.tsx';
import { type CallState, isData, isFinal } from './call-runner.ts';

/** The answer, rendered by its kind and as JSON. */
export function AnswerView({ operation, state }: { operation: string; state: CallState }) {
  const { phase, text, json, jobs, error, warnings, dropped } = state;
  if (phase === 'idle') {
    return (
      <p className="empty framed row soft">
        <Sparkles aria-hidden /> The answer appears here.
      </p>
    );
  }
  const refusal = (json as { error?: unknown } | undefined)?.error;
  return (
    <Section title="Answer" tools={<AnswerFacts state={state} />}>
      <div className="stack" aria-live="polite" aria-busy={phase !== 'done'}>
        <ErrorNotice error={error} />
        <ErrorNotice error={refusal} />
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

function AnswerFacts({ state }: { state: CallState }) {
  const { status, credits, duration, firstAfter, requestId } = state;
  return (
    <span className="row wrap soft">
      {status === undefined ? 'Sending' : <StatusBadge status={status} />}
      {credits !== undefined && <Credits amount={-credits} unit />}
      {firstAfter !== undefined && <span>first piece after {firstAfter} ms</span>}
      {duration !== undefined && <span>{duration} ms</span>}
      {requestId && <TextLink href={at.trail(requestId)} title="Deliveries" text={shortId(requestId)} />}
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

interface Made {
  url?: string;
  b64_json?: string;
  content_type?: string;
}

interface Carried {
  text?: string;
  data?: Made[];
  choices?: { message: { content: string } }[];
}

/** What an answer carries, as it is meant to be seen, read or heard. */
function AnswerMedia({ operation, state: { json, file } }: { operation: string; state: CallState }) {
  const { text, data = [], choices = [] } = (json ?? {}) as Carried;
  const content = text ?? choices[0]?.message.content;
  const isMade = operation === 'createImage' || operation === 'createVideo';
  return (
    <>
      {content !== undefined && (
        <p className="answer-text pre" dir="auto">
          {content}
        </p>
      )}
      {file && <AudioPlayer source={file} label="What was made" />}
      {isMade && data.map((made) => <MadeView key={made.url ?? ''} made={made} />)}
    </>
  );
}

function MadeView({ made }: { made: Made }) {
  const { url, b64_json: base64, content_type: contentType = 'image/png' } = made;
  const own = useMemo(() => (base64 ? blobUrl(base64, contentType) : undefined), [base64, contentType]);
  useEffect(() => () => URL.revokeObjectURL(own ?? ''), [own]);
  const shown = url ?? own;
  return shown ? <MediaView url={shown} contentType={contentType} label="What was made" /> : null;
}

function blobUrl(base64: string, type: string): string {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return URL.createObjectURL(new Blob([bytes], { type }));
}

/** How far a job is by what polling says, and what it came to. */
function OrderedJob({ job }: { job: Job }) {
  const { id, status, created, completed, result_url, content_type, library_id, error } = job;
  const now = useSecond();
  const elapsed = Math.max(0, (completed ?? now) - created);
  return (
    <section className="padded framed stack" aria-label={`Job ${id}`}>
      <p className="row wrap">
        <StatusBadge status={status} />
        <IdChip id={id} />
        {library_id && <IdChip id={library_id} />}
        <span className="soft">{lengthOfTime(elapsed)}</span>
      </p>
      {!isFinal(job) && (
        <>
          <progress aria-label={`Job is ${status}`} />
          <p className="soft">
            Polled as a client does. <TextLink href={at.jobs(id)} text="Finish it by hand" />
          </p>
        </>
      )}
      <ErrorNotice error={error} />
      {result_url && content_type && (
        <MediaView
          url={result_url}
          contentType={content_type}
          label={`Result of ${job.take === undefined ? 'the job' : `take ${job.take}`}`}
        />
      )}
    </section>
  );
}
