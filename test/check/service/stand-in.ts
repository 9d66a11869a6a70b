import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { DriftReport, DriftResult } from '../../../src/check/service/drift-report.ts';
import { type Ended, runCommand } from '../../support/run-command.ts';

/** An answer on its way through the proxy. */
export interface Passed {
  method: string;
  path: string;
  status: number;
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are patched field by field
  body: any;
}

/** A service that answers as an emulator does, but for what `patch` changes. */
export class PatchingProxy {
  readonly url: string;
  readonly #close: () => Promise<unknown>;
  /** Requests that came, oldest first: `POST /v1/webhooks`. */
  readonly requests: string[];

  private constructor(url: string, requests: string[], close: () => Promise<unknown>) {
    this.url = url;
    this.requests = requests;
    this.#close = close;
  }

  static async start(upstream: string, patch: (answer: Passed) => void): Promise<PatchingProxy> {
    const requests: string[] = [];
    const server = createServer((incoming, outgoing) => {
      requests.push(`${incoming.method} ${incoming.url}`);
      pass(incoming, outgoing, { upstream, patch }).catch(() => outgoing.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const close = () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    };
    return new PatchingProxy(`http://127.0.0.1:${port}`, requests, close);
  }

  close(): Promise<unknown> {
    return this.#close();
  }
}

interface Way {
  upstream: string;
  patch: (answer: Passed) => void;
}

async function pass(incoming: IncomingMessage, outgoing: ServerResponse, { upstream, patch }: Way): Promise<void> {
  const { method = 'GET', url = '/', headers } = incoming;
  const sent = await buffer(incoming);
  const received = await new Promise<IncomingMessage>((resolve, reject) => {
    const onward = request(upstream + url, { method, headers, agent: false }, resolve);
    onward.on('error', reject);
    onward.end(sent);
  });
  const bytes = await buffer(received);
  const isJson = received.headers['content-type']?.startsWith('application/json') === true;
  const {
    'content-length': _length,
    'transfer-encoding': _encoding,
    connection: _connection,
    ...rest
  } = received.headers;
  const answer: Passed = {
    ...{ method, path: url, status: received.statusCode ?? 0, headers: rest as Record<string, string> },
    body: isJson ? JSON.parse(bytes.toString()) : undefined,
  };
  patch(answer);
  outgoing.writeHead(answer.status, answer.headers);
  outgoing.end(
    answer.body === undefined ? bytes : typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body),
  );
}

/** How a run of the command has ended, with its JSON report. */
export interface Drifted extends Ended {
  report: DriftReport;
  /** The differences, each as `R135 createWebhook status`. */
  found: string[];
}

/** Runs `svc-emulator drift` against a service in a folder, with its key in the environment. */
export async function drift(
  folder: string,
  { url, key }: { url: string; key: string },
  flags: readonly string[] = [],
): Promise<Drifted> {
  const file = path.join(folder, 'report.json');
  const args = ['drift', '--against', url, '--key-env', 'DRIFT_KEY', '--pace', '0', '--report', file, ...flags];
  const ended = await runCommand(args, { DRIFT_KEY: key }, folder);
  return { ...ended, ...readReport(file) };
}

export function readReport(file: string): { report: DriftReport; found: string[] } {
  const report: DriftReport = JSON.parse(readFileSync(file, 'utf8'));
  return { report, found: linesOf(report) };
}

/** The differences of a report, each as `R135 createWebhook status`. */
export function linesOf({ results }: DriftReport): string[] {
  return results.filter(({ outcome }) => outcome === 'differs').map(lineOf);
}

function lineOf({ operation, what, path: at, rule, choice }: DriftResult): string {
  return [rule ?? choice ?? 'new', operation, at === undefined || at === what ? what : `${what} ${at}`].join(' ');
}
