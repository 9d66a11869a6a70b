import { Transform, type TransformCallback } from 'node:stream';
import { isTrueVariable } from './config-flags.ts';

/** Variables of systems that run commands found in the output of a job: GitHub Actions, Azure Pipelines, TeamCity. */
const SYSTEMS = ['GITHUB_ACTIONS', 'TF_BUILD', 'TEAMCITY_VERSION'];

export function ciRunsOutputCommands(env: NodeJS.ProcessEnv = process.env): boolean {
  return SYSTEMS.some((name) => isTrueVariable(env[name]));
}

const ESCAPE = String.fromCharCode(27);
/** Characters that may precede a command: colors, spaces, control characters and non-ASCII characters. */
const BLANK = `(?:${ESCAPE}\\[[0-9;?]*[ -/]*[@-~]|[^!-~])*`;
const AT_START = new RegExp(`^(${BLANK}):(?=:)`);
const BLANK_LINE = new RegExp(`^${BLANK}$`);
const UNDECIDED = new RegExp(
  `(?:##?(?:v|vs|vso|t|te|tea|team|teamc|teamci|teamcit|teamcity)?|:+|${ESCAPE}\\[?[0-9;?]*)$`,
  'i',
);

export function escapeCiCommands(text: string, isStart = true): string {
  return text.replace(/[^\r\n]+/g, (line, at: number) => {
    const inLine = line.replace(/#(?=#(?:vso|teamcity)?\[)/gi, '\\u0023');
    return at > 0 || isStart ? inLine.replace(AT_START, '$1\\u003a') : inLine;
  });
}

/** Escapes CI commands in a stream. Passes output on immediately, except for an end that may begin a command. */
export class CiCommandEscaper extends Transform {
  #held = '';
  #isBlank = true;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const text = this.#held + chunk.toString('latin1');
    this.#held = UNDECIDED.exec(text)?.[0] ?? '';
    done(null, this.#inert(text.slice(0, text.length - this.#held.length)));
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#inert(this.#held));
  }

  #inert(text: string): Buffer {
    const inert = escapeCiCommands(text, this.#isBlank);
    const line = text.slice(Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1);
    const isWhole = line.length < text.length;
    this.#isBlank = (isWhole || this.#isBlank) && BLANK_LINE.test(line);
    return Buffer.from(inert, 'latin1');
  }
}
