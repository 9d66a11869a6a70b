import { existsSync, readFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { expect } from 'vitest';
import { emptyFolder, SpawnedProgram } from './spawned-program.ts';

// biome-ignore lint/suspicious/noExplicitAny: lines are asserted field by field
type Line = any;

/** A recorder that runs, and its file. */
export interface Recorder {
  url: string;
  file: string;
  program: SpawnedProgram;
  /** The whole lines, as they are written. */
  lines(): Line[];
  /** Ends it, with this exit code, and answers all that was written and said. */
  stop(code?: number): Promise<{ text: string; said: string; lines: Line[] }>;
}

export async function startRecorder(
  upstream: string,
  file = path.join(emptyFolder(), 'run.ndjson'),
): Promise<Recorder> {
  const program = new SpawnedProgram(['record', '--upstream', upstream, '--out', file]);
  const url = await new Promise<string>((resolve, reject) => {
    program.child.stdout?.on('data', () => {
      const [, found] = /records \S+ on (\S+)\n/.exec(program.stdout) ?? [];
      if (found) resolve(found);
    });
    program.child.once('close', () => reject(new Error(program.stderr)));
  });
  const read = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  const lines = () =>
    read()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
  return {
    ...{ url, file, program, lines },
    async stop(code = 0) {
      expect(await program.stop()).toBe(code);
      return { text: read(), said: program.stdout + program.stderr, lines: lines() };
    },
  };
}

export interface Sent {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** An answer as far as it came. */
export interface Got {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Sends a request as it is: neither a redirect nor an unusual status changes what comes. */
export function send(url: string, { method = 'GET', path: where, headers = {}, body }: Sent): Promise<Got> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    const asked = request({ hostname, port, method, path: where, headers, agent: false }, (answer) => {
      const end = () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: Buffer.concat(pieces).toString(),
        });
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.once('close', end);
      answer.once('error', end);
    });
    asked.once('error', () => resolve({ status: 0, headers: {}, body: '' }));
    asked.end(body);
  });
}

/** Sends bytes that no client would, and answers the first line of what comes. */
export function sendBytes(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.once('data', (piece) => {
      socket.destroy();
      resolve(piece.toString().split('\r\n')[0] ?? '');
    });
    socket.once('error', reject);
  });
}
