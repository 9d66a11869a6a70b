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
import { counted } from '../base/text.ts';
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
  #lines = 0;
  /** The code of the system's error after which nothing more is written. */
  stopped: string | undefined;

  /** Empties the file. Throws `CommandEnd` for one that is no recording, no plain file, or in use; it is left as it is. */
  constructor(path: string) {
    this.#path = path;
    const real = explained(path, () => requirePlain(path));
    this.#lock = `${real}.lock`;
    explained(path, () => takeLock(this.#lock));
    try {
      this.#file = explained(path, () => openedForUs(real));
    } catch (error) {
      rmSync(this.#lock, { force: true });
      throw error;
    }
  }

  write(line: string): void {
    if (this.stopped !== undefined) return;
    try {
      this.#end = this.#put(line, ROOM);
      this.#lines += 1;
    } catch (error) {
      this.stopped = systemCode(error) ?? 'unknown';
      const stopped = `${this.stopped}: the recording ends here; what passed later is not in it`;
      try {
        // Into the room behind the last line, which the file has already.
        ftruncateSync(this.#file, this.#put(JSON.stringify({ stopped }), 0));
      } catch {
        // The proxy goes on, and the end of the command says it.
      }
    }
  }

  close(): void {
    if (this.stopped === undefined) ftruncateSync(this.#file, this.#end);
    closeSync(this.#file);
    rmSync(this.#lock, { force: true });
  }

  /** What the end of the command says. */
  get summary(): string {
    const wrote = `Wrote ${counted(this.#lines, 'request')} to ${this.#path}`;
    return this.stopped === undefined
      ? `${wrote}.`
      : `${wrote}; then it could not be written any more (${this.stopped}).`;
  }

  /** Puts a line behind the last one, with so many spaces behind it; answers where it ends. */
  #put(line: string, room: number): number {
    const bytes = Buffer.from(`${line}\n`);
    writeAll(this.#file, Buffer.concat([bytes, Buffer.alloc(room, ' ')]), this.#end);
    return this.#end + bytes.length;
  }
}

function writeAll(file: number, bytes: Buffer, at: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, at + done);
}

/** The path without links. A pipe or a device could hold this process for good. */
function requirePlain(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return path;
  if (!found.isFile()) throw new Refused('which is no plain file; name one');
  return realpathSync(path);
}

/** The lock of a process that is gone is taken over. */
function takeLock(name: string): void {
  const take = () => writeFileSync(name, `${process.pid}\n`, { flag: 'wx', mode: 0o600 });
  try {
    take();
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    const holder = Number(readFileSync(name, 'utf8'));
    if (!isGone(holder)) {
      const known = holder || 'unknown';
      throw new Refused(`which process ${known} is recording into; name another file, or remove ${name} if none is`);
    }
    rmSync(name, { force: true });
    take();
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
  throw new Refused('which is no recording and would be lost; name a new file or an earlier recording');
}

/** Why a file is not taken, in words. */
class Refused extends Error {}

function explained<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { message } = error as Error;
    const why = error instanceof Refused ? message : `which cannot be written: ${message}`;
    throw new CommandEnd(EXIT.wrongUse, `--out is ${path}, ${why}.`);
  }
}
