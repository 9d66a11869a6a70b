// Five tests with the fixtures of node:test that take 16 s: a message, a stream, an image, a video and a song with its event.
// The command of `npm run check:bars -- round`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emulatorFixtures } from 'svc-emulator/node-test';
import { call, finalJob, fits, json, order, orderSong, proofsOf, receiver, wait, wholeFile } from './advice/calls.js';

const svc = emulatorFixtures();
const EVENTS = ['music.generation.succeeded', 'music.generation.failed'];
const chat = (text, more) => ({ model: 'svc-rp-mini', messages: [{ role: 'user', content: text }], ...more });

function slow(name, work) {
  test(name, async () => {
    await wait(3_000);
    const { emulator, account } = svc;
    const { apiKey, id, workspaceId } = account;
    await work({ emulator, baseUrl: emulator.baseUrl, apiKey, id, workspaceId });
  });
}

slow('writes a message', async (world) => {
  const { choices } = await order(world, '/chat/completions', chat('Good evening.'));
  assert.ok(choices[0].message.content);
});

slow('streams a message', async (world) => {
  const { status, bytes } = await call(world, 'POST', '/chat/completions', { body: chat('Go on.', { stream: true }) });
  if (status !== 200) throw new Error(`${status}: the chat was refused`);
  if (!bytes.includes('[DONE]')) throw new Error('The reply is cut.', { cause: new Error('terminated') });
});

slow('draws an image', async (world) => {
  const { data } = await order(world, '/images/generations', { prompt: 'a quay', response_format: 'url', store: true });
  const { status } = await wholeFile(world, data[0].url, (bytes) => bytes.length > 100);
  assert.equal(status, 200);
});

slow('films a video', async (world) => {
  const film = { model: 'vid_max5havc', prompt: 'a ferry leaves', seconds: 4, resolution: '480p' };
  const { id } = await order(world, '/videos/generations', film);
  for (let state = ''; !['succeeded', 'failed'].includes(state); await wait(100)) {
    state = json(await call(world, 'GET', `/videos/generations/${id}`)).status;
  }
});

slow('sings a song, and hears of it', async (world) => {
  const heard = new Map();
  const opened = await receiver(world, EVENTS, (body, header) => {
    const { t, proofs } = proofsOf(header);
    if (Math.abs(Date.now() / 1_000 - t) > 300 || !fits(opened.secret, t, body, proofs)) return 400;
    const { id, data } = JSON.parse(body);
    heard.set(id, data);
    return 204;
  });
  try {
    const song = await finalJob(world, await orderSong(world, 'a shanty', 7));
    if (song.status === 'succeeded') await wholeFile(world, song.result_url, (bytes) => bytes.length > 10_000);
  } finally {
    opened.close();
  }
});
