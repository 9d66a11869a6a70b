import { once } from 'node:events';
import { test as base, expect } from 'svc-emulator/playwright';
import { chatServer } from './chat.js';

/** The page of a chat server that has its own account. */
const test = base.extend({
  chat: async ({ emulator, account, page }, use) => {
    const server = chatServer({ baseURL: emulator.baseUrl, apiKey: account.apiKey });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    await page.goto(`http://127.0.0.1:${server.address().port}`);
    await use(page);
    server.closeAllConnections();
    server.close();
  },
});

test('shows a reply and the balance, and stops a reply', async ({ chat, emulator, account }) => {
  await expect(chat.getByRole('status')).toHaveText('1000');
  await chat.getByLabel('Message').fill('Are you still awake?');
  await chat.getByRole('button', { name: 'Send' }).click();
  await expect(chat.getByRole('status')).toHaveText('999');

  await emulator.faults.add({
    match: { accountId: account.id, path: '/v1/chat' },
    effect: { stream: { intervalMs: 1_000 } },
  });
  await chat.getByLabel('Message').fill('Light the lamp again.');
  await chat.getByRole('button', { name: 'Send' }).click();
  await chat.getByRole('button', { name: 'Stop' }).click();
  await expect(chat.getByText('Stopped.')).toBeVisible();
  await expect(chat.getByRole('button', { name: 'Stop' })).toBeDisabled();
});
