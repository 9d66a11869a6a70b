import { Sparkles } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { useSecond, withKey } from '../data/account-and-clock.ts';
import { at } from '../data/addresses.ts';
import { browserNow, later, PageStore } from '../data/browser.ts';
import { callService, fetchApi } from '../data/call-api.ts';
import type { Job } from '../data/records.ts';
import { AudioPlayer, MediaView } from '../pieces/media-view.tsx';
import { ErrorNotice, Notice, Section } from '../pieces/page-parts.tsx';
import { Credits, IdChip, JsonView, lengthOfTime, StatusBadge, shortId, TextLink } from '../pieces/values.tsx';
import { type DraftedCall, requestOf } from './drafted-call.tsx';

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

export interface CallState {
  phase: 'idle' | 'sending' | 'streaming' | 'following' | 'done';
  status: number | undefined;
  requestId: string | null;
  /** What the headers say of fields that were ignored. */
  warnings: string | null;
  dropped: string | null;
  credits: number | undefined;
  firstAfter: number | undefined;
  duration: number | undefined;
  text: string;
  json: unknown;
  /** What is no JSON: a sound. */
  file: Blob | undefined;
  jobs: Job[];
  error: unknown;
}

const IDLE: CallState = {
  phase: 'idle',
  text: '',
  jobs: [],
  requestId: null,
  warnings: null,
  dropped: null,
  status: undefined,
  credits: undefined,
  firstAfter: undefined,
  duration: undefined,
  json: undefined,
  file: undefined,
  error: undefined,
};

/** How long after an answer a job is asked for again, in milliseconds. */
const AGAIN = 700;

/** Sends one call at a time and publishes its progress: streamed text, and the state of its jobs. */
export class CallRunner extends PageStore<CallState> {
  #ending = new AbortController();

  constructor() {
    super(IDLE);
  }

  /** Sends a call as an account, and follows it to its end. */
  async send(call: DraftedCall, accountId: string): Promise<void> {
    this.stop();
    const { signal } = this.#ending;
    this.set({ ...IDLE, phase: 'sending' });
    try {
      await withKey(accountId, (key) => this.#run(call, key, signal));
    } catch (error) {
      if (!signal.aborted) this.#update({ error });
    }
    if (!signal.aborted) this.#update({ phase: 'done' });
  }

  stop(): void {
    this.#ending.abort();
    this.#ending = new AbortController();
    this.set(IDLE);
  }

  async #run(call: DraftedCall, key: string, signal: AbortSignal): Promise<void> {
    const began = browserNow();
    const response = await fetchApi(call.path, { ...requestOf(call, key), signal });
    const { status, headers } = response;
    this.#update({
      status,
      requestId: headers.get('x-request-id'),
      warnings: headers.get('svc-emulator-warnings'),
      dropped: headers.get('svc-emulator-dropped'),
      credits: numberOf(headers.get('svc-emulator-credits-spent')),
    });
    const type = headers.get('content-type') ?? '';
    if (type.startsWith('text/event-stream')) await this.#stream(response, began);
    else if (type.startsWith('application/json')) await this.#take(response);
    else this.#update({ file: await response.blob() });
    this.#update({ duration: browserNow() - began });
    if (status === 202) await this.#follow(call, key, signal);
  }

  async #stream(response: Response, began: number): Promise<void> {
    this.#update({ phase: 'streaming' });
    for await (const { text, usage } of readStream(response)) {
      const { firstAfter = browserNow() - began } = this.value;
      this.#update({ firstAfter, text: this.value.text + text });
      if (usage) this.#update({ credits: usage.credits_spent, json: { usage } });
    }
  }

  async #take(response: Response): Promise<void> {
    const json = await response.json();
    this.#update({ json, credits: json.usage?.credits_spent ?? this.value.credits });
    if (response.status !== 202) return;
    const jobs: Job[] = Array.isArray(json.data) ? json.data : [json];
    this.#update({ phase: 'following', jobs });
  }

  async #follow({ path }: DraftedCall, key: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.value.jobs.every(isFinal)) {
      await new Promise<void>((resolve) => later(AGAIN, resolve));
      const looks = this.value.jobs.map((job) =>
        isFinal(job) ? job : callService<Job>('GET', `${path.slice(3)}/${job.id}`, { key }),
      );
      const jobs = await Promise.all(looks);
      if (!signal.aborted) this.#update({ jobs });
    }
  }

  #update(news: Partial<CallState>): void {
    this.set({ ...this.value, ...news });
  }
}

export function isFinal({ status }: Job): boolean {
  return status === 'succeeded' || status === 'failed';
}

function numberOf(text: string | null): number | undefined {
  return text === null ? undefined : Number(text);
}

interface Piece {
  text: string;
  usage: { credits_spent: number; credits_remaining: number } | undefined;
}

/** The pieces of a streamed reply as they come. Throws where the stream is cut or no JSON. */
async function* readStream(response: Response): AsyncGenerator<Piece> {
  for await (const line of linesOf(response)) {
    if (!line.startsWith('data: ') || line === 'data: [DONE]') continue;
    const { choices = [], usage, error } = JSON.parse(line.slice('data: '.length));
    if (error) throw new Error(error.message);
    yield { text: choices[0]?.delta?.content ?? '', usage };
  }
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const held: string[] = [''];
  for (;;) {
    const { done, value = '' } = (await reader?.read()) ?? { done: true };
    if (done) return;
    const [first = '', ...rest] = value.split('\n');
    held.push((held.pop() ?? '') + first, ...rest);
    yield* held.splice(0, held.length - 1);
  }
}

export function isData({ json, text, jobs }: CallState): boolean {
  const known = ['error', 'choices', 'text'];
  const { usage, ...rest } = json as Record<string, unknown>;
  const isMade = usage !== undefined && Array.isArray(rest.data);
  return text === '' && jobs.length === 0 && !isMade && !known.some((name) => name in rest);
}
