// Orders a chat, an image, a video and a song from the emulator in the container, and checks the results.
import assert from 'node:assert/strict';

const url = 'http://127.0.0.1:4700/v1';
const headers = { authorization: 'Bearer svc_sk_local_emulator', 'content-type': 'application/json' };

async function call(path, body) {
  const order = body && { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(url + path, { headers, ...order });
  const answer = await response.json();
  assert.ok(response.ok, JSON.stringify(answer));
  return answer;
}

async function made(path, order) {
  const ordered = await call(path, order);
  const id = ordered.id ?? ordered.data[0].id;
  for (let turn = 0; turn < 240; turn += 1) {
    const job = await call(`${path}/${id}`);
    if (job.status === 'succeeded') return job;
    assert.notEqual(job.status, 'failed', JSON.stringify(job));
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  assert.fail(`${path} took over two minutes`);
}

/** The first URL in an answer. */
const urlIn = (answer) => /"(https?:[^"]+)"/.exec(JSON.stringify(answer))?.[1];

async function requireFile(answer, magic, at = 0) {
  const bytes = Buffer.from(await (await fetch(urlIn(answer))).arrayBuffer());
  assert.match(bytes.toString('latin1', at, at + 8), magic);
}

const messages = [{ role: 'user', content: 'Hello.' }];
const { choices } = await call('/chat/completions', { model: 'svc-rp-mini', messages });
assert.ok(choices[0].message.content.length > 0);
await requireFile(await call('/images/generations', { prompt: 'a red boat', response_format: 'url' }), /PNG/);
await requireFile(await made('/videos/generations', { prompt: 'a red boat', seconds: 5 }), /^ftyp/, 4);
await requireFile(
  await made('/music/generations', { style: 'slow piano', instrumental: true, seconds: 30, n: 1 }),
  /^ID3|^\xff/,
);
