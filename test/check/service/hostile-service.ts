import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { atEnd } from '../../support/at-end.ts';
import type { Passed } from './stand-in.ts';

/** A request as it came. */
export interface Asked {
  /** `POST /v1/webhooks` */
  line: string;
  hasKey: boolean;
  sent: string;
}

/** What an emulator answers to it; changes are passed on. */
export type Answered = Pick<Passed, 'status' | 'headers' | 'body'>;

/** Writes to the connection. */
type Writer = (socket: Socket) => void;

/** Changes the answer, or writes another one to the connection. */
export type Twist = (answer: Answered, asked: Asked, service: HostileService) => Writer | undefined;

/** A service that answers as an emulator does, but for what its twist does. */
export class HostileService {
  readonly url: string;
  /** What it has charged beside the emulator: its balance is less by so much. */
  lost = 0;
  /** Bodies that came, by their lines. */
  readonly received: Asked[] = [];
  readonly elsewhere: string;
  /** Requests at another address, which nobody is to be led to. */
  readonly strangers: string[];

  private constructor(url: string, elsewhere: string, strangers: string[]) {
    this.url = url;
    this.elsewhere = elsewhere;
    this.strangers = strangers;
  }

  static async start(upstream: string, twist: Twist): Promise<HostileService> {
    const strangers: string[] = [];
    const elsewhere = await listening((incoming, outgoing) => {
      strangers.push(`${incoming.method} ${incoming.url}`);
      outgoing.end();
    });
    const url = await listening((incoming, outgoing) => {
      service.answer(incoming, outgoing, { upstream, twist }).catch(() => outgoing.destroy());
    });
    const service = new HostileService(url, elsewhere, strangers);
    return service;
  }

  private async answer(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    { upstream, twist }: { upstream: string; twist: Twist },
  ): Promise<void> {
    const { method = 'GET', url = '/', headers } = incoming;
    const body = await buffer(incoming);
    const asked = { line: `${method} ${url}`, hasKey: headers.authorization !== undefined, sent: body.toString() };
    this.received.push(asked);
    const { answer, bytes } = await passed(upstream + url, { method, headers, body });
    if (asked.line === 'GET /v1/account' && answer.status === 200) answer.body.credits -= this.lost;
    const write = twist(answer, asked, this);
    if (write) return write(incoming.socket);
    outgoing.writeHead(answer.status, answer.headers);
    outgoing.end(answer.body === undefined ? bytes : JSON.stringify(answer.body));
  }
}

async function listening(answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Sent {
  method: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

async function passed(url: string, { method, headers, body }: Sent): Promise<{ answer: Answered; bytes: Buffer }> {
  const received = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { method, headers, agent: false }, resolve).on('error', reject).end(body);
  });
  const isJson = received.headers['content-type']?.startsWith('application/json') === true;
  const bytes = isJson ? Buffer.from(await text(received)) : await buffer(received);
  const {
    'content-length': _length,
    'transfer-encoding': _coding,
    connection: _connection,
    ...rest
  } = received.headers;
  const answer = {
    ...{ status: received.statusCode ?? 0, headers: rest as Record<string, string> },
    body: isJson ? JSON.parse(bytes.toString()) : undefined,
  };
  return { answer, bytes };
}

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
