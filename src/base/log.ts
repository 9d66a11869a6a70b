import { isoTime } from './clock/clock.ts';
import type { Config } from './config/config.ts';
import { type Answered, choicesOfAnswer } from './package/choice-table.ts';
import { counted, visibleText } from './text.ts';

/** The emulator's log: facts, and a message that says what they mean. */
export interface Log {
  info(facts: Record<string, unknown>, message: string): void;
  error(facts: Record<string, unknown>, message: string): void;
}

/** Where a log goes: standard error, because standard output holds the ready line that programs wait for. */
interface Sink {
  write(line: string): unknown;
}

/** The log in the form that was asked for; `real` is the machine's time in milliseconds. */
export async function openLog(form: Config['log'], real: () => number, sink: Sink = process.stderr): Promise<Log> {
  if (form === 'silent') return { info: () => undefined, error: () => undefined };
  return form === 'json' ? jsonLog(sink) : prettyLog(real, sink);
}

/** One JSON object a line, as pino writes it. */
async function jsonLog(sink: Sink): Promise<Log> {
  const { pino } = await import('pino');
  const serializers = { error: pino.stdSerializers.err };
  const logger = pino({ base: null, serializers }, { write: (line: string) => void sink.write(visibleText(line)) });
  return {
    info: (facts, message) => logger.info(facts, message),
    error: (facts, message) => logger.error(facts, message),
  };
}

/** `09:15:02 error a message path=/v1/models`: one line an entry, but for the stack of a bug. */
function prettyLog(real: () => number, sink: Sink): Log {
  const write = (level: string, facts: Record<string, unknown>, message: string) => {
    const time = isoTime(real()).slice(11, 19);
    const parts = Object.entries(facts).map(([name, value]) => `${name}=${shown(value)}`);
    sink.write(`${visibleText([time, level, message, ...parts].filter(Boolean).join(' '))}\n`);
  };
  return {
    info: (facts, message) => write('', facts, message),
    error: (facts, message) => write('error', facts, message),
  };
}

function shown(value: unknown): string {
  if (value instanceof Error) return value.stack ?? value.message;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What the log says of a request; `credits` is null for what is not paid. */
interface LoggedRequest extends Answered {
  id: string;
  method: string;
  path: string;
  status: number;
  duration_ms: number;
  credits: number | null;
}

/** Writes one line for each request, with the ids of the choices by which it was refused or a field was ignored. */
export function requestLog(log: Log): (request: LoggedRequest) => void {
  return (request) => {
    const { id, method, path, status, duration_ms, credits } = request;
    const price = credits === null ? '' : `, ${counted(credits, 'credit')}`;
    const choices = choicesOfAnswer(request).join(',');
    log.info(
      { request_id: id, ...(choices && { choice: choices }) },
      `${method} ${path} ${status} in ${duration_ms} ms${price}`,
    );
  };
}
