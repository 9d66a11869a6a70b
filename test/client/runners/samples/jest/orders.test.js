const { emulatorFixtures, expectSpend } = require('svc-emulator/jest');

const svc = emulatorFixtures({ account: { credits: 60 } });

async function post(path, body) {
  const headers = { authorization: `Bearer ${svc.account.apiKey}`, 'content-type': 'application/json' };
  const answer = await fetch(svc.emulator.baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
}

const chat = () =>
  post('/chat/completions', { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Is anybody there?' }] });

test('a chat costs one credit', async () => {
  await expectSpend(svc.account, { credits: 1, refunds: 0 }, chat);
  expect(await svc.account.balance()).toBe(59);
});

test('each test has an account of its own', async () => {
  await expect(svc.account).toHaveSpent({ credits: 0, refunds: 0 });
  await expect(svc.account).not.toHaveFailed();
  await expect(expect(svc.account).toHaveSpent('nothing')).rejects.toThrow('toHaveSpent expects {credits, refunds}');
});

test('a picture that fails is given back, and its webhook arrives', async () => {
  await post('/webhooks', { url: svc.inbox.url, events: ['image.generation.failed'] });
  expect((await post('/images/generations', { prompt: 'a barn [[fail]]' })).status).toBe(502);
  await svc.emulator.waitFor.delivery('image.generation.failed', { accountId: svc.account.id });
  await expect(svc.account).toHaveDelivered('image.generation.failed');
  await expect(svc.account).toHaveSpent({ credits: 0, refunds: 1 });
});

test('a file that is not there is told, not thrown as a stranger', async () => {
  const answer = await fetch(`${svc.emulator.url}/cdn/files/none.png`);
  expect(answer.status).toBe(404);
});
