import { isoTime } from './clock/clock.ts';
import type { Config } from './config/config.ts';
import { choiceIdsOfResponse, type ResponseChoiceFields } from './package/choice-table.ts';
import { countWithNoun, escapeInvisibleCharacters } from './text.ts';

export interface Log {
  info(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

/** Where the log goes: to standard error by default, because programs read the ready line from standard output. */
interface Sink {
  write(line: string): unknown;
}

export async function openLog(form: Config['log'], real: () => number, sink: Sink = process.stderr): Promise<Log> {
  if (form === 'silent') return { info: () => undefined, error: () => undefined };
  return form === 'json' ? jsonLog(sink) : prettyLog(real, sink);
}

async function jsonLog(sink: Sink): Promise<Log> {
  const { pino } = await import('pino');
  const serializers = { error: pino.stdSerializers.err };
  const logger = pino(
    { base: null, serializers },
    { write: (line: string) => void sink.write(escapeInvisibleCharacters(line)) },
  );
  return {
    info: (fields, message) => logger.info(fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
}

function prettyLog(real: () => number, sink: Sink): Log {
  const write = (level: string, fields: Record<string, unknown>, message: string) => {
    const time = isoTime(real()).slice(11, 19);
    const parts = Object.entries(fields).map(([name, value]) => `${name}=${shown(value)}`);
    sink.write(`${escapeInvisibleCharacters([time, level, message, ...parts].filter(Boolean).join(' '))}\n`);
  };
  return {
    info: (fields, message) => write('', fields, message),
    error: (fields, message) => write('error', fields, message),
  };
}

function shown(value: unknown): string {
  if (value instanceof Error) return value.stack ?? value.message;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

interface LoggedRequest extends ResponseChoiceFields {
  id: string;
  method: string;
  path: string;
  status: number;
  duration_ms: number;
  credits: number | null;
}

export function createRequestLogger(log: Log): (request: LoggedRequest) => void {
  return (request) => {
    const { id, method, path, status, duration_ms, credits } = request;
    const price = credits === null ? '' : `, ${countWithNoun(credits, 'credit')}`;
    const choices = choiceIdsOfResponse(request).join(',');
    log.info(
      { request_id: id, ...(choices && { choice: choices }) },
      `${method} ${path} ${status} in ${duration_ms} ms${price}`,
    );
  };
}
