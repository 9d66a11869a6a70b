import { expect, expectSpend, test } from 'svc-emulator/playwright';

/** The page of an application. Its one button sends a chat request from the browser. */
const PAGE = (url, key) => `<button>Ask</button><p></p><script>
  document.querySelector('button').onclick = async () => {
    const answer = await fetch('${url}/chat/completions', {
      method: 'POST',
      headers: { authorization: 'Bearer ${key}', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hello.' }] }),
    });
    document.querySelector('p').textContent = (await answer.json()).usage.credits_remaining + ' left';
  };
</script>`;

test('a click costs one credit', async ({ page, emulator, account }) => {
  await page.route('http://localhost:9/', (route) =>
    route.fulfill({ contentType: 'text/html', body: PAGE(emulator.baseUrl, account.apiKey) }),
  );
  await page.goto('http://localhost:9/');
  await expectSpend(account, { credits: 1, refunds: 0 }, async () => {
    await page.getByRole('button', { name: 'Ask' }).click();
    await expect(page.getByText('59 left')).toBeVisible();
  });
  await expect(account).toHaveSpent({ credits: 1 });
});

test('each test has an account of its own', async ({ account }) => {
  expect(await account.balance()).toBe(60);
});
