// A story for the bench of explore: one song of two takes, its webhooks, and its files. As a command it polls; as a function
// (`node explored-song.mjs function 200`) it is explored here, and prints how it went.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const ORDER = { model: 'svc-music-one', prompt: 'a song about the rain', seconds: 30, n: 2, seed: 7 };

async function order({ base, key }, endpoint) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const ask = async (method, path, body) => {
    for (let turn = 0; turn < 5; turn += 1) {
      try {
        const answer = await fetch(`${base}/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
        if (answer.status < 429) return await answer.json();
      } catch {}
    }
    return undefined;
  };
  if (endpoint) await ask('POST', '/webhooks', endpoint);
  return { ask, jobs: (await ask('POST', '/music/generations', ORDER))?.data ?? [] };
}

async function download(url) {
  await fetch(url)
    .then((answer) => answer.arrayBuffer())
    .catch(() => undefined);
}

async function asCommand({ SVC_BASE_URL: base, SVC_API_KEY: key }) {
  const { ask, jobs } = await order({ base, key });
  for (const { id } of jobs) {
    for (let turn = 0; turn < 400; turn += 1) {
      const { status, result_url: url } = (await ask('GET', `/music/generations/${id}`)) ?? {};
      if (url) await download(url);
      if (status === 'succeeded' || status === 'failed') break;
      await sleep(10);
    }
  }
}

async function asFunction({ emulator, account, inbox }) {
  const access = { base: emulator.url, key: account.apiKey };
  const events = ['music.generation.succeeded', 'music.generation.failed'];
  const { jobs } = await order(access, { url: inbox.url, events });
  await emulator.control.waitFor({ for: 'idle', accountId: account.id, timeout: 10 });
  const heard = new Map((await inbox.messages()).map(({ body }) => [JSON.parse(body).id, JSON.parse(body).data]));
  if (heard.size < jobs.length) throw new Error('An event did not come.');
  await Promise.all([...heard.values()].map(({ result_url: url }) => url && download(url)));
}

const [, , form, count] = process.argv;
if (form !== 'function') await asCommand(process.env);
else {
  const { explore } = await import('../../dist/index.js');
  const { schedules_run, seconds, plain } = await explore(asFunction, {
    ...{ schedules: Number(count), budget: 0, expectFailure: ['*'], noSaved: true },
    bound: 3,
    only: ['duplicate', 'twin', 'reorder', 'resent', 'instant', 'forged', 'spelled', 'replayed'],
  }).catch((error) => error.report ?? Promise.reject(error));
  const memory = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;
  console.log(
    JSON.stringify({ run: schedules_run, seconds, ms: plain.ms, memory, cpu: process.cpuUsage().user / 1e6 }),
  );
  process.exit();
}
