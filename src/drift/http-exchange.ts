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

/** An answer whose body is not read yet. */
export interface OpenAnswer {
  status: number;
  /** By names in small letters. */
  headers: Record<string, string>;
  /** Reads the body. Throws `NotMeasured` for one that is cut or too large. */
  bytes(): Promise<Buffer>;
  /** Leaves the body unread. */
  drop(): void;
}

const LARGEST = 64 * 1024 * 1024;
/** Answers come as they are: nothing is unpacked. */
const USUAL = { 'accept-encoding': 'identity', 'user-agent': 'svc-emulator-drift', accept: '*/*' };

/** Sends one request and follows no redirect. Resolves with the head of the answer; rejects where there is none. */
export async function exchange(url: string, { method, headers, body }: SentRequest, signal: AbortSignal) {
  const length = body === undefined ? {} : { 'content-length': String(body.length) };
  const options: RequestOptions = { method, headers: { ...USUAL, ...headers, ...length }, signal };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    // Loaded where it is needed: TLS costs each start 3 ms.
    const send = url.startsWith('https:') ? process.getBuiltinModule('node:https').request : plainRequest;
    send(url, options, resolve).on('error', reject).end(body);
  });
  return opened(response);
}

function opened(response: IncomingMessage): OpenAnswer {
  const named = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(named),
    bytes: () => bytesOf(response),
    drop: () => void response.on('error', () => undefined).destroy(),
  };
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
    throw new NotMeasured('an answer that is cut', false);
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
