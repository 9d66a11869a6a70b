import { expect, it } from 'vitest';
import { world } from '../support/world.ts';

const here = await world();
const TYPE = 'image.generation.succeeded';

it('sends the events of a render, a trigger and a redelivery in the same form [R205 I090 I091 I127]', async () => {
  const account = await here.account();
  const own = `account_id=${account.id}`;
  const url = `${here.url}/_emulator/inbox/story`;
  const { body: endpoint } = await account.post('/webhooks', { url, events: [TYPE] });
  const next = async (after?: string) => {
    const more = after === undefined ? '' : `&after=${after}`;
    return (await here.control('GET', `/wait?for=delivery:${TYPE}&${own}${more}`)).body;
  };

  await account.post('/images/generations', { prompt: 'a pier' });
  const rendered = await next();
  const order = { type: TYPE, workspace_id: account.workspaceId };
  const { body: event } = await here.control('POST', '/events/trigger', order);
  const triggered = await next(rendered.id);
  await here.control('POST', `/deliveries/${rendered.id}/redeliver`);
  const again = await next(triggered.id);

  const sent = [rendered, triggered, again];
  for (const delivery of sent) {
    expect(Object.keys(delivery)).toEqual(Object.keys(rendered));
    expect(delivery).toMatchObject({
      ...{ type: TYPE, endpoint_id: endpoint.id, url, status: 'delivered', response_status: 200 },
      ...{ account_id: account.id, error: null, duration_ms: expect.any(Number) },
      attempted_at: expect.stringMatching(/Z$/),
      signature: expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/),
    });
  }
  expect(sent.map(({ redelivery_of }) => redelivery_of)).toEqual([null, null, rendered.id]);
  expect([triggered.event_id, again.event_id]).toEqual([event.id, rendered.event_id]);

  const { data } = (await here.control('GET', '/inbox/story/messages')).body;
  const messages = data.toReversed();
  expect(messages.map((one: { body: string }) => JSON.parse(one.body).id)).toEqual(
    sent.map(({ event_id }) => event_id),
  );
  expect(messages[2].body).toBe(messages[0].body);
  for (const [at, message] of messages.entries()) {
    expect(message.signature).toMatchObject({ verified: true, endpoint_id: endpoint.id });
    expect(message.headers).toMatchObject({
      'svc-signature': sent[at].signature,
      'svc-emulator-delivery': sent[at].id,
    });
  }
  expect(await account.events()).toEqual([TYPE, TYPE]);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -10']);
});
