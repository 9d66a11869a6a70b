import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { FfmpegCommand } from 'fluent-ffmpeg';
import { Semaphore } from '../base/clock/semaphore.ts';
import { installCommands } from '../base/config/package-manager.ts';
import { EmulatorError, systemCode } from '../base/errors.ts';

const load = createRequire(import.meta.url);

/** One call of ffmpeg: argument lists only, so that no text is ever parsed by a shell. */
export interface FfmpegRun {
  /** Bytes for its standard input, as it takes them, or a path. */
  input: AsyncIterable<Buffer> | string;
  /** The only demuxer and the only decoders that may read the input, whatever its bytes ask for. */
  format: string;
  decoders: readonly string[];
  inputOptions?: string[];
  /** Codec, filters and, because the output is a pipe, `-f`. */
  outputOptions: string[];
}

export interface FfmpegOptions {
  /** Another binary than the packaged one. */
  path?: string;
  /** A child that runs longer is killed. */
  timeLimitMs?: number;
}

/** Same input, same bytes: one thread, no dates, no encoder names. */
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

/** The most that it may allocate at once, in bytes: a frame of the largest picture takes less. */
const MOST_ALLOCATED = 256 * 1_048_576;

/** Two ffmpeg children at a time; each reads from or writes to a pipe of ours, so it ends when this process does. */
export class Ffmpeg {
  readonly #path: string | undefined;
  readonly #timeLimitMs: number;
  readonly #children = new Semaphore(2);

  constructor(options: FfmpegOptions = {}) {
    this.#path = options.path;
    this.#timeLimitMs = options.timeLimitMs ?? 60_000;
  }

  /** Answers the output's bytes. Rejects with `render_failed`, or with the signal's reason. */
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
    // What is no program, or is not there, says so when it is spawned.
    const isNone = ['ENOENT', 'EACCES', 'ENOEXEC'].includes(systemCode(Object(cause).cause) ?? '');
    const text = isNone
      ? ffmpegRemedy(this.#path ?? packagedFfmpeg().path)
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
      `${MOST_ALLOCATED}`,
      '-protocol_whitelist',
      isFile ? 'file' : 'pipe',
      '-f',
      run.format,
      '-codec_whitelist',
      run.decoders.join(','),
    ];
    return fluent({ stdoutLines: 20 })
      .setFfmpegPath(this.#path ?? packagedFfmpeg().path)
      .input(input)
      .inputOptions([...quiet, ...bounds, ...(run.inputOptions ?? [])])
      .outputOptions([...REPRODUCIBLE, ...run.outputOptions])
      .output(sink);
  }
}

/** Names the build of ffmpeg without starting it: the package's version, or a hash of a binary given by path. */
export function ffmpegVersion(path?: string): string {
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

/** If it was left out, a render that needs none has an identity all the same. */
function packagedVersion(): string {
  try {
    return packagedFfmpeg().version;
  } catch {
    return 'none';
  }
}

/**
 * The binary that comes with the package, found from where the package of its installer is: the installer itself looks in
 * node_modules, which Yarn's Plug'n'Play does without. Throws `render_failed` with the remedy if it was left out.
 */
export function packagedFfmpeg(): { path: string; version: string } {
  try {
    const installer = createRequire(load.resolve('@ffmpeg-installer/ffmpeg'));
    const manifest = installer.resolve(`@ffmpeg-installer/${process.platform}-${process.arch}/package.json`);
    const { ffmpeg, version } = load(manifest) as { ffmpeg?: string; version: string };
    const program = process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg';
    return { path: join(dirname(manifest), program), version: ffmpeg ?? version };
  } catch (cause) {
    throw new EmulatorError('render_failed', ffmpegRemedy('The ffmpeg of the package'), { cause });
  }
}

/** What to do where a file is no ffmpeg for this machine. */
export function ffmpegRemedy(file: string): string {
  return `${file} is missing or cannot be run. Run ${installCommands().optional}, or name another ffmpeg with --ffmpeg.`;
}

/** Without a close event: fluent-ffmpeg kills a child that has not exited 20 ms after its output closed. */
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

/** The fault of what fed the child, where that is why it failed. */
function sourceFault(error: unknown): unknown {
  const { cause } = Object(error) as { cause?: unknown };
  const source = cause && typeof cause === 'object' && 'inputStreamError' in cause ? cause.inputStreamError : undefined;
  return source instanceof EmulatorError ? source : undefined;
}
