import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { Command } from 'commander';
import { serviceAddress } from '../base/config/real-target.ts';
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
  const { startPassing } = await import('./pass-on.ts');
  const { RecordedLines } = await import('./recorded-line.ts');
  const written = new RecordedLines();
  const recording: { file?: RecordingFile } = {};
  const proxy = await startPassing({
    upstream,
    port,
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

/** What another recording begins with; one that was killed early holds spaces alone. */
const RECORDED = /^\{"(?:at":"[^"]{24}","took_ms":\d+,"request":\{"method":"|stopped":")/;
/** Spaces behind the last line, in which the last words of a recording find room on a full disk. */
const ROOM = 200;

/** The file of `--out`, which one process at a time writes. */
class RecordingFile {
  readonly #path: string;
  readonly #lock: string;
  readonly #file: number;
  #end = 0;
  lines = 0;
  /** The code of the system's error after which nothing more is written. */
  stopped: string | undefined;

  /** Empties the file. Throws `CommandEnd` for one that is no recording, no plain file, or in use; it is left as it is. */
  constructor(path: string) {
    this.#path = path;
    const real = explained(path, () => requirePlain(path));
    this.#lock = `${real}.lock`;
    explained(path, () => lock(path, this.#lock));
    try {
      this.#file = explained(path, () => openedForUs(real));
    } catch (error) {
      rmSync(this.#lock, { force: true });
      throw error;
    }
  }

  write(line: string): void {
    if (this.stopped !== undefined) return;
    const bytes = Buffer.from(`${line}\n`);
    try {
      writeAll(this.#file, Buffer.concat([bytes, Buffer.alloc(ROOM, ' ')]), this.#end);
      this.#end += bytes.length;
      this.lines += 1;
    } catch (error) {
      this.stopped = systemCode(error) ?? 'unknown';
      this.#writeLast();
    }
  }

  close(): void {
    if (this.stopped === undefined) ftruncateSync(this.#file, this.#end);
    closeSync(this.#file);
    rmSync(this.#lock, { force: true });
  }

  /** Into the room behind the last line, which the file has already. */
  #writeLast(): void {
    const stopped = `${this.stopped}: the recording ends here; what passed later is not in it`;
    const bytes = Buffer.from(`${JSON.stringify({ stopped })}\n`);
    try {
      writeAll(this.#file, bytes, this.#end);
      ftruncateSync(this.#file, this.#end + bytes.length);
    } catch {
      // The proxy goes on, and the end of the command says it.
    }
  }

  /** What the end of the command says. */
  get summary(): string {
    const { lines, stopped } = this;
    const wrote = `Wrote ${lines} ${lines === 1 ? 'request' : 'requests'} to ${this.#path}`;
    return stopped === undefined ? `${wrote}.` : `${wrote}; then it could not be written any more (${stopped}).`;
  }
}

function writeAll(file: number, bytes: Buffer, at: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, at + done);
}

/** The path without links. A pipe or a device could hold this process for good. */
function requirePlain(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return path;
  if (!found.isFile()) throw new CommandEnd(EXIT.wrongUse, `--out is ${path}, which is no plain file; name one.`);
  return realpathSync(path);
}

/** The lock of a process that is gone is taken over. */
function lock(path: string, name: string): void {
  try {
    writeFileSync(name, `${process.pid}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    const holder = Number(readFileSync(name, 'utf8'));
    if (!isGone(holder)) {
      const fault = `which process ${holder || 'unknown'} is recording into; name another file, or remove ${name} if none is`;
      throw new CommandEnd(EXIT.wrongUse, `--out is ${path}, ${fault}.`);
    }
    rmSync(name, { force: true });
    writeFileSync(name, `${process.pid}\n`, { flag: 'wx', mode: 0o600 });
  }
}

function isGone(pid: number): boolean {
  if (!Number.isInteger(pid) || pid < 1) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return systemCode(error) === 'ESRCH';
  }
}

/** A new file in the place of the earlier one, for its owner alone: what is kept by mistake is not for others. */
function openedForUs(path: string): number {
  if (existsSync(path)) requireRecording(path);
  rmSync(path, { force: true });
  const file = openSync(path, 'wx', 0o600);
  writeAll(file, Buffer.alloc(ROOM, ' '), 0);
  return file;
}

function requireRecording(path: string): void {
  const file = openSync(path, 'r');
  const head = Buffer.alloc(ROOM + 1);
  const length = readSync(file, head, 0, head.length, 0);
  closeSync(file);
  const text = head.toString('utf8', 0, length);
  if (RECORDED.test(text) || (length <= ROOM && text.trim() === '')) return;
  throw new CommandEnd(
    EXIT.wrongUse,
    `--out is ${path}, which is no recording and would be lost; name a new file or an earlier recording.`,
  );
}

function explained<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof CommandEnd) throw error;
    throw new CommandEnd(EXIT.wrongUse, `--out is ${path}, which cannot be written: ${(error as Error).message}.`);
  }
}
