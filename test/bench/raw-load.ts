import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';

/**
 * Requests a second that one path answers, over `connections` that each ask again when their answer is whole.
 * Reads bytes and counts them, so that the load costs the shared processor as little as can be: every answer must
 * have the length of the first.
 */
export async function requestsPerSecond(
  port: number,
  path: string,
  options: { headers: string; connections: number; seconds: number },
): Promise<number> {
  const ask = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${options.headers}\r\n\r\n`;
  const size = await answerSize(port, ask);
  const end = performance.now() + options.seconds * 1000;
  const began = performance.now();
  const counts = await Promise.all(
    Array.from({ length: options.connections }, () => askUntil(end, { port, ask, size })),
  );
  const answered = counts.reduce((sum, count) => sum + count, 0);
  return (answered * 1000) / (performance.now() - began);
}

/** Headers and body of the first answer, in bytes. */
async function answerSize(port: number, ask: string): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  socket.write(ask);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) {
    chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('latin1');
    const head = text.indexOf('\r\n\r\n') + 4;
    const length = /content-length: (\d+)/i.exec(text)?.[1];
    if (!text.startsWith('HTTP/1.1 2')) throw new Error(`answered ${text.slice(0, 200)}`);
    if (head > 4 && text.length - head === Number(length)) return text.length;
  }
  throw new Error('the connection ended before its answer');
}

async function askUntil(
  end: number,
  { port, ask, size }: { port: number; ask: string; size: number },
): Promise<number> {
  const socket: Socket = connect(port, '127.0.0.1');
  const state = { bytes: 0, answers: 0 };
  socket.on('data', (chunk) => {
    state.bytes += chunk.length;
    if (state.bytes < size) return;
    state.bytes -= size;
    state.answers += 1;
    if (performance.now() < end) socket.write(ask);
    else socket.destroy();
  });
  socket.write(ask);
  await once(socket, 'close');
  return state.answers;
}

/** Posts a form whose file has `megabytes`; resolves with the milliseconds until its answer was read. */
export async function postFile(port: number, megabytes: number): Promise<number> {
  const piece = Buffer.alloc(65_536, 'seven');
  const began = performance.now();
  const outgoing = request({
    port,
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  });
  const answered = once(outgoing, 'response');
  outgoing.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n');
  for (let sent = 0; sent < megabytes * 16; sent += 1) {
    if (!outgoing.write(piece)) await once(outgoing, 'drain');
  }
  outgoing.end('\r\n--b--\r\n');
  const [answer] = await answered;
  if (answer.statusCode !== 200) throw new Error(`an upload was answered ${answer.statusCode}`);
  answer.resume();
  await once(answer, 'end');
  return performance.now() - began;
}
