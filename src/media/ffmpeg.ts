import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { FfmpegCommand } from 'fluent-ffmpeg';
import { Semaphore } from '../base/clock/clock.ts';
import { packageManagerCommands } from '../base/config/package-manager.ts';
import { EmulatorError, systemErrorCode } from '../base/errors.ts';
import { describeLoadOrStartError } from '../base/load-or-start-error.ts';

const load = createRequire(import.meta.url);

interface FfmpegRun {
  input: AsyncIterable<Buffer> | string;
  format: string;
  decoders: readonly string[];
  inputOptions?: string[];
  outputOptions: string[];
}

interface FfmpegOptions {
  path?: string;
  timeLimitMs?: number;
}

const REPRODUCIBLE = [
  '-threads',
  '1',
  '-map_metadata',
  '-1',
  '-fflags',
  '+bitexact',
  '-flags:v',
  '+bitexact',
  '-flags:a',
  '+bitexact',
];

const MAX_ALLOCATED = 256 * 1_048_576;

/** Matches the exit code of a shell or a loader that could not start ffmpeg, such as one for another platform. */
const NOT_STARTED = /exited with code (?:2|126|127)\b/;

/** An instance runs at most two ffmpeg processes at a time. Their pipes end them soon after this process ends. */
export class Ffmpeg {
  readonly #path: string | undefined;
  readonly #timeLimitMs: number;
  readonly #children = new Semaphore(2);

  constructor(options: FfmpegOptions = {}) {
    this.#path = options.path;
    this.#timeLimitMs = options.timeLimitMs ?? 60_000;
  }

  /** Rejects with `render_failed`, an error of the input, or the signal's reason. */
  run(run: FfmpegRun, signal?: AbortSignal): Promise<Buffer> {
    return this.#children.run(() => this.#start(run, signal));
  }

  async #start(run: FfmpegRun, signal?: AbortSignal): Promise<Buffer> {
    signal?.throwIfAborted();
    const chunks: Buffer[] = [];
    const sink = collect(chunks);
    const command = await this.#command(run, sink);
    signal?.throwIfAborted();
    const limit = AbortSignal.timeout(this.#timeLimitMs);
    const stop = () => command.kill('SIGKILL');
    signal?.addEventListener('abort', stop);
    limit.addEventListener('abort', stop);
    try {
      await Promise.all([ended(command), finished(sink)]);
    } catch (error) {
      sink.destroy();
      signal?.throwIfAborted();
      throw sourceFault(error) ?? this.#failure(error, limit.aborted);
    } finally {
      signal?.removeEventListener('abort', stop);
      limit.removeEventListener('abort', stop);
    }
    return Buffer.concat(chunks);
  }

  #failure(cause: unknown, isLate: boolean): EmulatorError {
    const isUnable = systemErrorCode(Object(cause).cause) !== undefined || NOT_STARTED.test(String(cause));
    const text = isUnable
      ? describeFfmpegError(cause, this.#path ?? locatePackagedFfmpeg().path)
      : isLate
        ? `ffmpeg ran longer than the ${this.#timeLimitMs} ms that a render may take and was stopped.`
        : 'ffmpeg stopped before the file was finished; the render can be asked for again.';
    return new EmulatorError('render_failed', text, { cause });
  }

  async #command(run: FfmpegRun, sink: Writable): Promise<FfmpegCommand> {
    const { default: fluent } = await import('fluent-ffmpeg');
    const isFile = typeof run.input === 'string';
    const input = typeof run.input === 'string' ? `file:${run.input}` : Readable.from(run.input);
    const quiet = ['-hide_banner', '-v', 'error', '-xerror', ...(isFile ? ['-nostdin'] : [])];
    const bounds = [
      '-max_alloc',
      `${MAX_ALLOCATED}`,
      '-protocol_whitelist',
      isFile ? 'file' : 'pipe',
      '-f',
      run.format,
      '-codec_whitelist',
      run.decoders.join(','),
    ];
    return fluent({ stdoutLines: 20 })
      .setFfmpegPath(this.#path ?? locatePackagedFfmpeg().path)
      .input(input)
      .inputOptions([...quiet, ...bounds, ...(run.inputOptions ?? [])])
      .outputOptions([...REPRODUCIBLE, ...run.outputOptions])
      .output(sink);
  }
}

export function identifyFfmpegBuild(path?: string): string {
  if (path === undefined) return packagedVersion();
  const sample = Buffer.alloc(65_536);
  const file = openSync(path, 'r');
  try {
    readSync(file, sample, 0, sample.length, 0);
  } finally {
    closeSync(file);
  }
  const hash = createHash('sha256')
    .update(`${statSync(path).size}:`)
    .update(sample);
  return hash.digest('hex').slice(0, 16);
}

function packagedVersion(): string {
  try {
    return locatePackagedFfmpeg().version;
  } catch {
    return 'none';
  }
}

/**
 * Finds the packaged ffmpeg without its installer, because that requires node_modules, which Yarn may not have. Throws
 * `render_failed` if ffmpeg was left out.
 */
export function locatePackagedFfmpeg(): { path: string; version: string } {
  try {
    const installer = createRequire(load.resolve('@ffmpeg-installer/ffmpeg'));
    const manifest = installer.resolve(`@ffmpeg-installer/${process.platform}-${process.arch}/package.json`);
    const { ffmpeg, version } = load(manifest) as { ffmpeg?: string; version: string };
    const program = process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg';
    return { path: join(dirname(manifest), program), version: ffmpeg ?? version };
  } catch (cause) {
    throw new EmulatorError('render_failed', describeFfmpegError(cause), { cause });
  }
}

export function describeFfmpegError(error: unknown, file?: string): string {
  const install = `Run ${packageManagerCommands().optional}, or name another ffmpeg with --ffmpeg.`;
  return describeLoadOrStartError(error, { name: file ?? 'ffmpeg', file, install });
}

/** Makes a stream without a close event: fluent-ffmpeg kills a child that still runs 20 ms after its output closed. */
function collect(chunks: Buffer[]): Writable {
  return new Writable({
    emitClose: false,
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
}

function ended(command: FfmpegCommand): Promise<void> {
  return new Promise((resolve, reject) => {
    command
      .on('end', () => resolve())
      .on('error', (error: Error, _stdout, stderr) =>
        reject(new Error(`${error.message}: ${stderr ?? ''}`.slice(0, 2000), { cause: error })),
      )
      .run();
  });
}

function sourceFault(error: unknown): unknown {
  const { cause } = Object(error) as { cause?: unknown };
  const source = cause && typeof cause === 'object' && 'inputStreamError' in cause ? cause.inputStreamError : undefined;
  return source instanceof EmulatorError ? source : undefined;
}
