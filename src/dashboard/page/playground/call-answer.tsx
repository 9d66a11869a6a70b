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
  const { phase, text, json, jobs, error, response } = state;
  if (phase === 'idle') {
    return (
      <p className="empty framed row soft">
        <Sparkles aria-hidden /> The answer appears here.
      </p>
    );
  }
  const leftOut = (header: string) => decodeURIComponent(response?.headers.get(header) ?? '');
  const [warnings, dropped] = [leftOut('svc-emulator-warnings'), leftOut('svc-emulator-dropped')];
  return (
    <Section title="Answer" tools={<AnswerFacts state={state} />}>
      <div className="stack" aria-live="polite" aria-busy={phase !== 'done'}>
        <ErrorNotice error={error} />
        <ErrorNotice error={(json as { error?: unknown } | undefined)?.error} />
        {warnings && <Notice tone="wait">Ignored: {warnings}</Notice>}
        {dropped && <Notice tone="wait">Not known to the engine: {dropped}</Notice>}
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

function AnswerFacts({ state: { response, usage, duration, firstAfter } }: { state: CallState }) {
  if (!response) return <span className="row wrap soft">Sending</span>;
  const { status, headers } = response;
  const [requestId, spent] = [headers.get('x-request-id'), headers.get('svc-emulator-credits-spent')];
  const credits = usage?.credits_spent ?? (spent === null ? undefined : Number(spent));
  return (
    <span className="row wrap soft">
      <StatusBadge status={status} />
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

interface Choice {
  message: { content: string };
}

function AnswerMedia({ operation, state: { json, file } }: { operation: string; state: CallState }) {
  const { text, data = [], choices } = Object(json) as { text?: string; data?: Made[]; choices?: Choice[] };
  const content = text ?? choices?.[0]?.message.content;
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
  const { b64_json: base64, content_type = 'image/png' } = made;
  const own = useMemo(() => (base64 ? blobUrl(base64, content_type) : undefined), [base64, content_type]);
  useEffect(() => () => URL.revokeObjectURL(own ?? ''), [own]);
  const url = made.url ?? own;
  return url && <MediaView file={{ url, content_type }} label="What was made" />;
}

function blobUrl(base64: string, type: string): string {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return URL.createObjectURL(new Blob([bytes], { type }));
}

/** How far a job is by what polling says, and what it came to. */
function OrderedJob({ job }: { job: Job }) {
  const { id, status, created, completed, result_url: url, content_type, library_id, error } = job;
  const now = useSecond();
  const elapsed = Math.max(0, (completed ?? now) - created);
  const name = job.take === undefined ? 'the job' : `take ${job.take}`;
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
      {url && content_type && <MediaView file={{ url, content_type }} label={`Result of ${name}`} />}
    </section>
  );
}

interface Usage {
  credits_spent: number;
}

export interface CallState {
  phase: 'idle' | 'sending' | 'streaming' | 'following' | 'done';
  /** Its status and headers are known before its body. */
  response?: Response;
  usage?: Usage | undefined;
  /** Milliseconds until the first piece of a stream, and until the end. */
  firstAfter?: number;
  duration?: number;
  text: string;
  json?: unknown;
  /** What is no JSON: a sound. */
  file?: Blob;
  jobs: readonly Job[];
  error?: unknown;
}

const IDLE: CallState = { phase: 'idle', text: '', jobs: [] };

/** Sends one call at a time and publishes its progress. */
export class CallRunner extends PageStore<CallState> {
  #ending = new AbortController();

  constructor() {
    super(IDLE);
  }

  /** Sends a call as an account, and follows it to its end. */
  async send(call: DraftedCall, accountId: string): Promise<void> {
    this.stop();
    const { signal } = this.#ending;
    const update = (news: Partial<CallState>) => signal.aborted || this.set({ ...this.value, ...news });
    update({ phase: 'sending' });
    try {
      await withKey(accountId, async (key) => {
        for await (const news of progressOf(call, key, signal)) update(news);
      });
    } catch (error) {
      update({ error });
    }
    update({ phase: 'done' });
  }

  stop(): void {
    this.#ending.abort();
    this.#ending = new AbortController();
    this.set(IDLE);
  }
}

/** What becomes known of a call, one thing after another: its answer, streamed text, and the state of its jobs. */
async function* progressOf(call: DraftedCall, key: string, signal: AbortSignal): AsyncGenerator<Partial<CallState>> {
  const began = browserNow();
  const response = await fetchApi(call.path, { ...requestOf(call, key), signal });
  yield { response };
  const type = response.headers.get('content-type') ?? '';
  const json = type.startsWith('application/json') ? await response.json() : undefined;
  if (json) yield { json, usage: json.usage };
  else if (type.startsWith('text/event-stream')) yield* streamed(response, began);
  else yield { file: await response.blob() };
  yield { duration: browserNow() - began };
  if (response.status !== 202) return;
  let jobs: Job[] = Array.isArray(json.data) ? json.data : [json];
  yield { phase: 'following', jobs };
  while (!signal.aborted && !jobs.every(isFinal)) {
    await new Promise<void>((resolve) => later(AGAIN, resolve));
    const read = (job: Job) => callService<Job>('GET', `${call.path.slice(3)}/${job.id}`, { key });
    jobs = await Promise.all(jobs.map((job) => (isFinal(job) ? job : read(job))));
    yield { jobs };
  }
}

/** How long after an answer a job is asked for again, in milliseconds. */
const AGAIN = 700;

/** The text of a streamed reply as it comes. Throws where the stream is cut or no JSON. */
async function* streamed(response: Response, began: number): AsyncGenerator<Partial<CallState>> {
  yield { phase: 'streaming' };
  const seen = { text: '', firstAfter: -1 };
  for await (const line of linesOf(response)) {
    if (!line.startsWith('data: ') || line === 'data: [DONE]') continue;
    const { choices = [], usage, error } = JSON.parse(line.slice('data: '.length));
    if (error) throw new Error(error.message);
    if (seen.firstAfter === -1) seen.firstAfter = browserNow() - began;
    seen.text += choices[0]?.delta?.content ?? '';
    yield { ...seen, ...(usage && { usage, json: { usage } }) };
  }
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let held = '';
  for (;;) {
    const { done, value = '' } = (await reader?.read()) ?? { done: true };
    if (done) return;
    const lines = (held + value).split('\n');
    held = lines.pop() ?? '';
    yield* lines;
  }
}

function isFinal({ status }: Job): boolean {
  return status === 'succeeded' || status === 'failed';
}

function isData({ json, text, jobs }: CallState): boolean {
  const known = ['error', 'choices', 'text'];
  const { usage, ...rest } = json as Record<string, unknown>;
  const isMade = usage !== undefined && Array.isArray(rest.data);
  return text === '' && jobs.length === 0 && !isMade && !known.some((name) => name in rest);
}
