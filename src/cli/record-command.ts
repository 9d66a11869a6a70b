import { closeSync, openSync, writeSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { secretValues } from '../config/secret-values.ts';
import { counted } from '../log/counted.ts';
import { wholeNumber } from './config-flags.ts';
import { CommandEnd, EXIT, stopSignal } from './process-end.ts';
import { say, sayAside } from './terminal-output.ts';

interface RecordFlags {
  upstream: string;
  out: string;
  port?: number;
}

/** `svc-emulator record`: a proxy that writes what passes, until a signal comes; no emulator needs to run. */
export function recordCommand(): Command {
  return new Command('record')
    .description('pass requests on to a service, and write them with their answers, secrets masked, until Ctrl-C')
    .requiredOption('--upstream <url>', 'the service, such as https://api.example.com', readAddress)
    .requiredOption('--out <file>', 'the file to write: a request with its answer a line')
    .option('--port <number>', 'port to listen on (default: a free one)', wholeNumber('from 0 to 65535', 65_535))
    .action(record);
}

async function record({ upstream, out, port }: RecordFlags): Promise<void> {
  const [{ startPassing }, { recordedLine }, { Mask }] = await Promise.all([
    import('./pass-on.ts'),
    import('./recorded-line.ts'),
    import('../trace/mask.ts'),
  ]);
  const file = opened(out);
  const mask = new Mask(secretValues());
  let lines = 0;
  const proxy = await startPassing({
    upstream,
    ...(port === undefined ? {} : { port }),
    onExchange(exchange) {
      writeSync(file, `${recordedLine(exchange, mask)}\n`);
      lines += 1;
    },
  });
  const stopped = stopSignal();
  say(`svc-emulator records ${upstream} on ${proxy.url}\n`);
  await stopped;
  await proxy.close();
  closeSync(file);
  sayAside(`Wrote ${counted(lines, 'request')} to ${out}.\n`);
}

/** For its owner alone: what is masked by mistake is not for others. */
function opened(file: string): number {
  try {
    return openSync(file, 'w', 0o600);
  } catch (error) {
    throw new CommandEnd(EXIT.wrongUse, `--out is ${file}, which cannot be written: ${(error as Error).message}.`);
  }
}

/** https only, unless it is this machine. */
function readAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHere = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(url?.hostname ?? '');
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isHere)) return text.replace(/(?:\/v1)?\/?$/, '');
  throw new InvalidArgumentError('It must be an https URL, or http on this machine.');
}
