import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';

/** What a server answered under load: whole answers a second, and the milliseconds that one in a hundred took longer than. */
export interface Load {
  rate: number;
  p99: number;
}

/**
 * One request over and over, on `connections` that each ask again when their answer is whole. Reads bytes and counts
 * them, so that the load costs the shared processor as little as can be: every answer must have the length of the first.
 */
export async function loadWith(
  port: number,
  request: string,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Load> {
  const size = await answerSize(port, request);
  const began = performance.now();
  const end = began + seconds * 1000;
  const asking = Array.from({ length: connections }, () => askUntil(end, { port, request, size }));
  const times = (await Promise.all(asking)).flat().sort((a, b) => a - b);
  const took = performance.now() - began;
  return { rate: (times.length * 1000) / took, p99: times[Math.floor(times.length * 0.99)] ?? Number.NaN };
}

/** How long a connection must be silent for an answer to be whole, in milliseconds: alone it comes in one piece. */
const SILENCE = 200;

/** Headers and body of an answer, in bytes. */
async function answerSize(port: number, request: string): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  socket.setTimeout(SILENCE, () => socket.destroy());
  socket.write(request);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  const answer = Buffer.concat(chunks);
  if (!answer.toString('latin1', 0, 10).startsWith('HTTP/1.1 2')) {
    throw new Error(`answered ${answer.toString('latin1', 0, 200)}`);
  }
  return answer.length;
}

/** The milliseconds of each answer. */
async function askUntil(
  end: number,
  { port, request, size }: { port: number; request: string; size: number },
): Promise<number[]> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  const bytes = Buffer.from(request);
  const times: number[] = [];
  let [asked, got] = [performance.now(), 0];
  socket.on('data', (chunk) => {
    got += chunk.length;
    if (got < size) return;
    if (got > size) socket.destroy(new Error(`an answer has other than ${size} bytes`));
    const now = performance.now();
    times.push(now - asked);
    [asked, got] = [now, 0];
    if (now < end) socket.write(bytes);
    else socket.destroy();
  });
  socket.write(bytes);
  await once(socket, 'close');
  return times;
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
