import { type IncomingMessage, request as plainRequest, type RequestOptions } from 'node:http';

/** Why an answer says nothing of the interface. */
export class NotMeasured extends Error {
  override name = 'NotMeasured';
  /** Whether the service has answered at all. */
  readonly isAnswered: boolean;

  constructor(why: string, isAnswered = true) {
    super(why);
    this.isAnswered = isAnswered;
  }
}

/** A request as it is sent. */
export interface SentRequest {
  method: string;
  headers: Record<string, string>;
  body?: Buffer;
}

/** An answer with its whole body. */
export interface WholeAnswer {
  status: number;
  /** By names in small letters. */
  headers: Record<string, string>;
  bytes: Buffer;
}

const CUT = 'an answer that is cut';
const LARGEST = 64 * 1024 * 1024;
/** Answers come as they are: nothing is unpacked. */
const USUAL = { 'accept-encoding': 'identity', 'user-agent': 'svc-emulator-drift', accept: '*/*' };

/**
 * Sends one request, follows no redirect and resolves with the whole answer. Throws `NotMeasured` where there is none, it is
 * cut, too large, packed or a redirect, and when `over` aborts, which ends the request wherever it is.
 */
export async function exchange(url: string, request: SentRequest, over: AbortSignal): Promise<WholeAnswer> {
  const response = await headOf(url, request, over).catch(() => {
    throw new NotMeasured('no answer', false);
  });
  const { statusCode: status = 0 } = response;
  const why = unreadable(status, response.headers['content-encoding']);
  if (why !== undefined) {
    response.on('error', () => undefined).destroy();
    throw new NotMeasured(why);
  }
  const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
  const bytes = await bytesOf(response);
  // A body without a length ends with its connection, whoever ends that.
  if (over.aborted) throw new NotMeasured(CUT, false);
  return { status, headers: Object.fromEntries(headers), bytes };
}

function headOf(url: string, { method, headers, body }: SentRequest, over: AbortSignal): Promise<IncomingMessage> {
  const length = body === undefined ? {} : { 'content-length': String(body.length) };
  const options: RequestOptions = { method, headers: { ...USUAL, ...headers, ...length }, signal: over };
  return new Promise((resolve, reject) => {
    // Loaded where it is needed: TLS costs each start 3 ms.
    const send = url.startsWith('https:') ? process.getBuiltinModule('node:https').request : plainRequest;
    const sent = send(url, options, resolve).on('error', reject);
    // After a 101 the connection speaks something else, and no answer follows.
    sent.on('upgrade', (_head, socket) => reject(socket.destroy()));
    sent.on('close', () => reject(new Error('closed')));
    sent.end(body);
  });
}

/** Why the body of an answer is of no use, if it is of none. */
function unreadable(status: number, packed = 'identity'): string | undefined {
  if (status < 200 || status > 599) return `status ${status}, which is none`;
  if (status >= 300 && status < 400) return `redirect ${status}`;
  // It was not asked for, and a small one may unpack to any size.
  return packed === 'identity' || packed === '' ? undefined : 'a packed body';
}

async function bytesOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response) {
      size += chunk.length;
      if (size > LARGEST) throw new NotMeasured('an answer of more than 64 MiB');
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof NotMeasured) throw error;
    throw new NotMeasured(CUT, false);
  }
  return Buffer.concat(chunks);
}

/** Between the parts of a form: in no file of the plan. */
const BOUNDARY = 'svc-emulator-drift-boundary';

/** A form as it is sent; a Buffer is a file of this name. */
export function multipart(
  fields: Readonly<Record<string, string | Buffer>>,
  fileName: string,
): Pick<Required<SentRequest>, 'headers' | 'body'> {
  const parts = Object.entries(fields).flatMap(([name, value]) => {
    const isFile = typeof value !== 'string';
    const type = isFile ? `; filename="${fileName}"\r\ncontent-type: application/octet-stream` : '';
    return [
      Buffer.from(`--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${type}\r\n\r\n`),
      ...[isFile ? value : Buffer.from(value), Buffer.from('\r\n')],
    ];
  });
  const body = Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);
  return { headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }, body };
}
