import { useEffect, useMemo } from 'react';
import { AudioPlayer, MediaView } from '../components/media-view.tsx';
import { ErrorNotice, Notice, Section } from '../components/page-parts.tsx';
import { Credits, JsonView, StatusBadge, shortId, TextLink } from '../components/values.tsx';
import { areaPathBuilders } from '../data/areas.ts';
import { browserNow } from '../data/browser.ts';
import { fetchFromEmulator, USER_CALL_HEADERS } from '../data/call-api.ts';
import type { ExampleCall } from '../data/code-samples.ts';
import { buildRequestBody } from './service-call.ts';

export interface CallResult {
  isSending: boolean;
  response?: Response;
  duration?: number;
  text?: string;
  json?: unknown;
  file?: Blob;
  error?: unknown;
}

export function CallResultView({ isSending, response, duration, text, json, file, error }: CallResult) {
  if (!response) return <ErrorNotice error={error} />;
  const { status, headers } = response;
  const body = Object(json) as { error?: unknown; usage?: { credits_spent?: number }; data?: Made[]; text?: string };
  const [id, spent] = [headers.get('x-request-id'), headers.get('svc-emulator-credits-spent')];
  const credits = body.usage?.credits_spent ?? (spent === null ? undefined : Number(spent));
  const ignored = decodeURIComponent(headers.get('svc-emulator-warnings') ?? '');
  const made = Array.isArray(body.data) ? body.data.filter(isMade) : [];
  const details = (
    <span className="row wrap soft">
      <StatusBadge status={status} />
      {credits !== undefined && <Credits amount={-credits} unit />}
      {duration !== undefined && <span>{duration} ms</span>}
      {id && <TextLink href={areaPathBuilders.timeline(id)} text={shortId(id)} title="Timeline of this request" />}
    </span>
  );
  return (
    <Section title="Response" tools={details}>
      <div className="stack" aria-live="polite" aria-busy={isSending}>
        <ErrorNotice error={error} />
        <ErrorNotice error={body.error} />
        {ignored && <Notice tone="wait">Ignored: {ignored}</Notice>}
        {status === 202 && id && (
          <p>
            The job is running. <TextLink href={areaPathBuilders.timeline(id)} text="Follow it on the timeline" />
          </p>
        )}
        {text !== undefined && (
          <p className="answer-text pre" dir="auto" data-streams={isSending ? '' : undefined}>
            {text}
          </p>
        )}
        {file && <AudioPlayer source={file} label="Generated file" />}
        {made.map((each) => (
          <MadeView key={each.url ?? ''} made={each} />
        ))}
        {json !== undefined && <JsonView value={shortened(json)} label="Response body" />}
      </div>
    </Section>
  );
}

interface Made {
  id?: string;
  url?: string;
  b64_json?: string;
  content_type?: string;
}

function isMade({ id, url, b64_json }: Made): boolean {
  return id === undefined && (url !== undefined || b64_json !== undefined);
}

function MadeView({ made: { url, b64_json: base64, content_type = 'image/png' } }: { made: Made }) {
  const own = useMemo(() => (base64 ? blobUrl(base64, content_type) : undefined), [base64, content_type]);
  useEffect(() => () => URL.revokeObjectURL(own ?? ''), [own]);
  return <MediaView file={{ url: url ?? own ?? '', content_type }} label="Generated file" />;
}

function blobUrl(base64: string, type: string): string {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return URL.createObjectURL(new Blob([bytes], { type }));
}

const MAX_TEXT = 2000;

function shortened(value: unknown): unknown {
  if (typeof value === 'string' && value.length > MAX_TEXT)
    return `${value.slice(0, 80)}… (${value.length} characters)`;
  if (Array.isArray(value)) return value.map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shortened(each)]));
}

export async function* sendServiceCall(
  call: ExampleCall,
  { key, file, signal }: { key: string; file: File | undefined; signal: AbortSignal },
): AsyncGenerator<Partial<CallResult>> {
  const began = browserNow();
  const typed: Record<string, string> = call.request === null ? {} : { 'content-type': 'application/json' };
  const headers = { ...USER_CALL_HEADERS, ...typed, authorization: `Bearer ${key}` };
  const sent = { method: call.method, headers, body: buildRequestBody(call, file), signal };
  const response = await fetchFromEmulator(call.path, sent);
  yield { response };
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('application/json')) yield { json: await response.json() };
  else if (type.startsWith('text/event-stream')) yield* streamed(response);
  else yield { file: await response.blob() };
  yield { duration: browserNow() - began };
}

async function* streamed(response: Response): AsyncGenerator<Partial<CallResult>> {
  let text = '';
  yield { text };
  for await (const line of linesOf(response)) {
    if (!line.startsWith('data: ') || line === 'data: [DONE]') continue;
    const { choices = [], usage, error } = JSON.parse(line.slice('data: '.length));
    if (error) throw new Error(error.message);
    text += choices[0]?.delta?.content ?? '';
    yield { text, ...(usage && { json: { usage } }) };
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
