import autocannon from 'autocannon';
import type { BenchRow } from './bench-row.ts';
import { ourServer } from './bench-server.ts';

const HEADERS = { authorization: 'Bearer svc_sk_local_emulator' };
const CHAT = JSON.stringify({
  model: 'svc-rp-mini',
  messages: [{ role: 'user', content: 'Where does the road lead?' }],
});

/** Resident memory: idle, after 50,000 chats, during an upload of 100 MB. */
export async function memoryBench(): Promise<BenchRow[]> {
  const server = await ourServer('--credits', '1000000000');
  const [url] = server.urls;
  try {
    await fetch(`${url}/v1/models`);
    const idle = server.memory();
    const peak = await uploadPeak(`${url}`, () => server.memory());
    await autocannon({
      url: `${url}/v1/chat/completions`,
      ...{ connections: 64, amount: 50_000, method: 'POST', body: CHAT },
      headers: { ...HEADERS, 'content-type': 'application/json' },
    });
    const busy = server.memory();
    return [
      row('memory idle, MiB', idle, 90),
      row('memory above idle during a 100 MB upload, MiB', peak - idle, 60),
      row('memory after 50,000 chats, MiB', busy, 160),
    ];
  } finally {
    await server.close();
  }
}

async function uploadPeak(url: string, memory: () => number): Promise<number> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(100 * 1_048_576)]), 'large.bin');
  const readings: number[] = [];
  const timer = setInterval(() => readings.push(memory()), 5);
  const answer = await fetch(`${url}/v1/storage/objects`, {
    method: 'POST',
    headers: HEADERS,
    body: form,
  });
  clearInterval(timer);
  if (answer.status !== 200) throw new Error(`the upload was answered with ${answer.status}`);
  return Math.max(...readings);
}

function row(name: string, measured: number, most: number): BenchRow {
  return {
    name,
    ours: measured.toFixed(0),
    theirs: `at most ${most}`,
    ratio: measured / most,
    bar: '<= 1',
  };
}
