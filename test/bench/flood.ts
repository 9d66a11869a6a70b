import { connect } from 'node:net';

/** So many connections ask at once. */
const CONNECTIONS = 64;

/** One request as its bytes stand on the wire. */
export function wireRequest(path: string, { key, type, body }: { key: string; type: string; body: string }): string {
  const head = [`POST ${path} HTTP/1.1`, 'host: 127.0.0.1', `authorization: Bearer ${key}`, `content-type: ${type}`];
  return `${head.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/**
 * Sends `count` requests as fast as they are answered, and costs the shared processor little. Rejects at the first
 * answer that is not 2xx.
 */
export async function flood(url: string, count: number, request: (n: number) => string): Promise<void> {
  let sent = 0;
  const next = () => (sent < count ? request(sent++) : undefined);
  await Promise.all(
    Array.from({ length: Math.min(CONNECTIONS, count) }, () => asking(Number(new URL(url).port), next)),
  );
}

function asking(port: number, next: () => string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let got = '';
    const go = () => {
      got = '';
      const request = next();
      if (request === undefined) socket.end();
      else socket.write(request);
    };
    socket.setEncoding('latin1');
    socket.on('data', (piece) => {
      got += piece;
      const head = got.indexOf('\r\n\r\n');
      if (head === -1) return;
      const length = Number(/content-length: (\d+)/i.exec(got.slice(0, head))?.[1]);
      if (!got.startsWith('HTTP/1.1 2')) socket.destroy(new Error(`answered ${got.slice(0, 400)}`));
      else if (got.length === head + 4 + length) go();
    });
    socket.on('connect', go);
    socket.on('error', reject);
    socket.on('close', () => resolve());
  });
}
