import { readFileSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { VirtualClock } from '../../../src/base/clock/virtual-clock.ts';
import type { DriftReport, DriftResult } from '../../../src/check/service/drift-report.ts';
import type { Target } from '../../../src/check/service/send-request.ts';
import { atEnd } from '../../support/at-end.ts';
import { type Ended, runCommand } from '../../support/run-command.ts';

/** A request as it came. */
export interface Asked {
  /** `POST /v1/webhooks` */
  line: string;
  hasKey: boolean;
  sent: string;
}

/** What an emulator answers to it; changes are passed on. */
export interface Passed {
  method: string;
  path: string;
  status: number;
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are patched field by field
  body: any;
}

/** Changes the answer; a function that it answers writes to the connection instead. */
export type Twist = (answer: Passed, asked: Asked, service: TwistedService) => unknown;

/** A service that answers as an emulator does, but for what its twist does. It ends with its test. */
export class TwistedService {
  readonly url: string;
  /** What it has charged beside the emulator: its balance is less by so much. */
  lost = 0;
  readonly received: Asked[] = [];
  readonly elsewhere: string;
  /** Requests at another address, which nobody is to be led to. */
  readonly strangers: string[];

  private constructor(url: string, elsewhere: string, strangers: string[]) {
    this.url = url;
    this.elsewhere = elsewhere;
    this.strangers = strangers;
  }

  static async start(upstream: string, twist: Twist): Promise<TwistedService> {
    const strangers: string[] = [];
    const elsewhere = await listening((incoming, outgoing) => {
      strangers.push(`${incoming.method} ${incoming.url}`);
      outgoing.end();
    });
    const url = await listening((incoming, outgoing) => {
      service.answer(incoming, outgoing, { upstream, twist }).catch(() => outgoing.destroy());
    });
    const service = new TwistedService(url, elsewhere, strangers);
    return service;
  }

  /** The lines of what came, oldest first. */
  get requests(): string[] {
    return this.received.map(({ line }) => line);
  }

  private async answer(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    { upstream, twist }: { upstream: string; twist: Twist },
  ): Promise<void> {
    const { method = 'GET', url: path = '/', headers } = incoming;
    const body = await buffer(incoming);
    const asked = { line: `${method} ${path}`, hasKey: headers.authorization !== undefined, sent: body.toString() };
    this.received.push(asked);
    const { bytes, ...given } = await passed(upstream + path, { method, headers, body });
    const answer = { method, path, ...given };
    if (asked.line === 'GET /v1/account' && answer.status === 200) answer.body.credits -= this.lost;
    const write = twist(answer, asked, this);
    if (typeof write === 'function') return write(incoming.socket);
    outgoing.writeHead(answer.status, answer.headers);
    const isAsItIs = answer.body === undefined || typeof answer.body === 'string';
    outgoing.end(isAsItIs ? (answer.body ?? bytes) : JSON.stringify(answer.body));
  }
}

/** The address of a server that answers so, and ends with its test. */
export async function listening(answer: RequestListener | NetServer): Promise<string> {
  const server = typeof answer === 'function' ? createServer(answer) : answer;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    if (server instanceof Server) server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Sent {
  method: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

async function passed(url: string, { method, headers, body }: Sent) {
  const received = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { method, headers, agent: false }, resolve).on('error', reject).end(body);
  });
  const bytes = await buffer(received);
  const isJson = received.headers['content-type']?.startsWith('application/json') === true;
  const { 'content-length': _length, 'transfer-encoding': _coding, connection: _is, ...rest } = received.headers;
  return {
    bytes,
    status: received.statusCode ?? 0,
    headers: rest as Record<string, string>,
    body: isJson ? JSON.parse(bytes.toString()) : undefined,
  };
}

/** Writes to the connection. */
export type Writer = (socket: Socket) => void;

/** An answer byte by byte as it is given. */
export function raw(head: string, body: string | Buffer = ''): Writer {
  return (socket) => {
    socket.on('error', () => undefined);
    socket.write(`${head}\r\n\r\n`.replaceAll('\n', '\r\n').replaceAll('\r\r', '\r'), 'latin1');
    socket.end(body);
  };
}

/** An answer of JSON as it is given. */
export function rawJson(body: string, head = 'HTTP/1.1 200 OK'): Writer {
  return raw(`${head}\ncontent-type: application/json\nconnection: close`, body);
}

/** Begins an answer, and then a piece of it every few milliseconds, without end. */
export function drip(head: string, piece: string | Buffer): Writer {
  return (socket) => {
    socket.on('error', () => undefined);
    socket.write(head);
    const timer = setInterval(() => socket.write(piece), 5);
    socket.once('close', () => clearInterval(timer));
  };
}

/** A service as it is measured in these tests: without a pause between two requests. */
export function targetOf({ url, key }: { url: string; key: string }, timeoutMs = 60_000): Target {
  return { url, key, paceMs: 0, timeoutMs, clock: new VirtualClock(), signal: new AbortController().signal };
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
