import type { Job } from '../../engine/jobs/job.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import type { OrderRecords } from './order-records.ts';

/** What was asked for, in the words of the request. */
interface Asked {
  /** The beginning of the prompt; empty where none was given. */
  words: string;
  model: string | null;
  /** What else distinguishes one order from another: `5 s`, `2 takes of 60 s`, `stream`. */
  what: string;
}

/** How much of a prompt is shown. */
const MOST_WORDS = 300;
const TEXTS = ['title', 'prompt', 'input', 'text', 'style', 'lyrics', 'name', 'url'] as const;

export function askedOf({ request, jobs, run }: OrderRecords): Asked {
  const body = bodyOf(request);
  const [job] = jobs;
  const words = wordsOf(body) || wordsOf(job?.parameters) || lastTurn(request) || (run ? run.run.flowName : '');
  const model = textIn(body, 'model') ?? request?.model ?? job?.model ?? null;
  return { words: shortened(words), model, what: whatOf(body, jobs) || (request?.streamed ? 'stream' : '') };
}

/** The JSON body of a request; undefined for none, and for one that was cut. */
function bodyOf(request: Pick<JournalEntry, 'request'> | undefined): Record<string, unknown> | undefined {
  const kept = request?.request;
  if (!kept) return undefined;
  try {
    const value: unknown = JSON.parse(kept);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Title and prompt, or the last message of a chat. */
function wordsOf(body: Record<string, unknown> | undefined): string {
  if (!body) return '';
  if (Array.isArray(body.messages)) return lastMessage(body.messages);
  const [first, second] = TEXTS.flatMap((name) => textIn(body, name) ?? []);
  if (first === undefined) return '';
  return textIn(body, 'title') && second ? `${first}: ${second}` : first;
}

function lastMessage(messages: readonly unknown[]): string {
  const texts = messages.flatMap((message) => contentOf(fieldOf(message, 'content')) || []);
  return texts.at(-1) ?? '';
}

/** Of a chat whose body was cut: what is kept of the last turn of its user. */
function lastTurn(request: JournalEntry | undefined): string {
  return request?.engine_prompt?.findLast(({ role }) => role === 'user')?.text ?? '';
}

function contentOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.flatMap((part) => textIn(part, 'text') ?? []).join(' ');
}

function whatOf(body: Record<string, unknown> | undefined, jobs: readonly Job[]): string {
  const seconds = fieldOf(body, 'seconds') ?? fieldOf(jobs[0]?.parameters, 'seconds');
  const length = typeof seconds === 'number' ? `${seconds} s` : (textIn(body, 'duration') ?? '').replace(/s$/, ' s');
  if (jobs.length > 1) return `${jobs.length} takes${length && ` of ${length}`}`;
  if (length !== '') return length;
  if (fieldOf(body, 'stream') === true) return 'stream';
  return fieldOf(body, 'store') === true ? 'stored' : '';
}

function shortened(words: string): string {
  const plain = words
    .slice(0, MOST_WORDS * 2)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return Array.from(plain).slice(0, MOST_WORDS).join('');
}

function textIn(value: unknown, name: string): string | undefined {
  const field = fieldOf(value, name);
  return typeof field === 'string' && field !== '' ? field : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
