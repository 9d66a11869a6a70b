import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { world } from '../../support/world.ts';

const emulator = await world();

it.each(['localhost', '127.0.0.1', 'app.localhost'])(
  'builds the URLs of an answer on the Host %s that the caller used, also of a job [I144]',
  async (name) => {
    const account = await emulator.account();
    const here = emulator.url.replace('127.0.0.1', name);
    const order = { prompt: 'a pier', response_format: 'url' };
    const image = await orderAs(here, account.key, order);
    expect(new URL(image.data[0].url).origin).toBe(here);
    const [event] = (await emulator.control('GET', `/events?account_id=${account.id}`)).body.data;
    expect(new URL(event.envelope.data.result_url).origin).toBe(here);
    const bytes = await emulator.call('GET', image.data[0].url.replace(here, emulator.url));
    expect([bytes.status, bytes.headers.get('content-type')]).toEqual([200, 'image/png']);
  },
);

/** Orders a picture at the emulator's own address under another Host. */
async function orderAs(host: string, key: string, order: object) {
  const headers = {
    host: new URL(host).host,
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
  };
  const sent = request(`${emulator.url}/v1/images/generations`, { method: 'POST', headers });
  sent.end(JSON.stringify(order));
  const [response] = await once(sent, 'response');
  return JSON.parse(await text(response));
}
