import { isoTime } from './clock/clock.ts';
import type { Config } from './config.ts';
import type { Log } from './log.ts';

/**
 * The log in the form that was asked for, on standard error: standard output holds the ready line alone, so that a
 * program can wait for it whatever the form.
 */
export async function openLog(form: Config['log'], real: () => number): Promise<Log> {
  if (form === 'silent') return { info: () => undefined, error: () => undefined };
  if (form === 'pretty') return prettyLog(real);
  const { destination, pino } = await import('pino');
  const logger = pino(
    { base: null, serializers: { error: pino.stdSerializers.err } },
    destination({ dest: 2, sync: true }),
  );
  return {
    info: (facts, message) => logger.info(facts, message),
    error: (facts, message) => logger.error(facts, message),
  };
}

/** `09:15:02 error path=/v1/models: message`, one line an entry but for the stack of a bug. */
function prettyLog(real: () => number): Log {
  const write = (level: string, facts: Record<string, unknown>, message = '') => {
    const time = isoTime(real()).slice(11, 19);
    const parts = Object.entries(facts).map(([name, value]) => `${name}=${shown(value)}`);
    process.stderr.write(`${[time, level, message, ...parts].filter(Boolean).join(' ')}\n`);
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
