import { AudioPlayer, MediaView } from '../components/media-view.tsx';
import { ErrorNotice, Notice, Section } from '../components/page-parts.tsx';
import { Credits, JsonView, StatusBadge, shortId, TextLink } from '../components/values.tsx';
import { areaPathBuilders } from '../data/areas.ts';
import { browserNow } from '../data/browser.ts';
import { sendAsUser } from '../data/call-api.ts';
import type { ServiceCall } from '../data/code-samples.ts';
import { formDataOf } from './service-call.ts';

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
  // The rows of a list have ids, and generated files have none.
  const made = Array.isArray(body.data) ? body.data.filter((each) => !each.id && (each.url || each.b64_json)) : [];
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
        {made.map(({ url, b64_json: base64, content_type: type = 'image/png' }) => (
          <MediaView
            key={url ?? ''}
            file={{ url: url ?? `data:${type};base64,${base64}`, content_type: type }}
            label="Generated file"
          />
        ))}
        {json !== undefined && <JsonView value={JSON.stringify(json, shortened)} label="Response body" />}
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

const MAX_TEXT = 2000;

function shortened(_name: string, value: unknown): unknown {
  const isLong = typeof value === 'string' && value.length > MAX_TEXT;
  return isLong ? `${value.slice(0, 80)}… (${value.length} characters)` : value;
}

export async function sendServiceCallWithUpdates(
  call: ServiceCall,
  { key, signal, update }: { key: string; signal: AbortSignal; update: (news: Partial<CallResult>) => void },
): Promise<void> {
  const began = browserNow();
  const response = await sendAsUser(call, key, { signal, ...(call.form && { body: formDataOf(call.form) }) });
  update({ response });
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('application/json')) update({ json: await response.json() });
  else if (type.startsWith('text/event-stream')) await readStream(response, update);
  else update({ file: await response.blob() });
  update({ duration: browserNow() - began });
}

async function readStream(response: Response, update: (news: Partial<CallResult>) => void): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let [text, held] = ['', ''];
  update({ text });
  for (;;) {
    const { done, value = '' } = (await reader?.read()) ?? { done: true };
    if (done) return;
    const lines = (held + value).split('\n');
    held = lines.pop() ?? '';
    for (const line of lines) {
      // The last line, `[DONE]`, is not JSON.
      if (!line.startsWith('data: {')) continue;
      const { choices = [], usage, error } = JSON.parse(line.slice('data: '.length));
      if (error) throw new Error(error.message);
      text += choices[0]?.delta?.content ?? '';
      update({ text, ...(usage && { json: { usage } }) });
    }
  }
}
