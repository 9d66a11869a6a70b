import { Command } from 'commander';
import { serviceAddress } from '../base/config/service-address.ts';
import { systemCode } from '../base/errors.ts';
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
    .description('pass requests on to a service, and write them with their answers, every value masked, until Ctrl-C')
    .requiredOption('--upstream <url>', 'the service, such as https://api.example.com')
    .requiredOption('--out <file>', 'the file to write: a request with its answer a line')
    .option('--port <number>', 'port to listen on (default: a free one)', wholeNumber('from 0 to 65535', 65_535))
    .action(record);
}

async function record({ upstream: address, out, port = 0 }: RecordFlags): Promise<void> {
  const upstream = readAddress(address);
  const [{ startPassing }, { RecordedLines }, { contractNames }, { RecordingFile }] = await Promise.all([
    import('./pass-on.ts'),
    import('./recorded-line.ts'),
    import('./contract-names.ts'),
    import('./recording-file.ts'),
  ]);
  const written = new RecordedLines(contractNames());
  const recording: { file?: InstanceType<typeof RecordingFile> } = {};
  const proxy = await startPassing({
    ...{ upstream, port },
    onExchange: (exchange) => recording.file?.write(written.line(exchange)),
  }).catch((error: unknown) => {
    throw notListening(port, error);
  });
  const stopped = stopSignal();
  try {
    recording.file = new RecordingFile(out);
    say(`svc-emulator records ${upstream} on ${proxy.url}\n`);
    await stopped;
  } finally {
    await proxy.close();
    recording.file?.close();
  }
  sayAside(`${recording.file.summary}\n`);
  if (recording.file.stopped !== undefined) throw new CommandEnd(EXIT.failure);
}

function notListening(port: number, error: unknown): unknown {
  const code = systemCode(error);
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return error;
  const fault = code === 'EACCES' ? 'is not for this user' : 'is in use by another program';
  return new CommandEnd(EXIT.failure, `Port ${port} ${fault}; choose another with --port, or leave it out.`);
}

function readAddress(text: string): string {
  try {
    return serviceAddress(text);
  } catch (error) {
    throw new CommandEnd(EXIT.wrongUse, `--upstream ${(error as Error).message}.`);
  }
}
