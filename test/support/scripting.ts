import { expect } from 'vitest';
import type { AccountSettings, TestAccount, World } from './world.ts';

/** Creates fixtures that apply only to this account, and returns their ids. */
export async function script(account: TestAccount, ...fixtures: object[]): Promise<string[]> {
  const scoped = fixtures.map((fixture) => {
    const { match = {} } = fixture as { match?: object };
    return { ...fixture, match: { ...match, account_id: account.id } };
  });
  const { status, body } = await account.world.control('POST', '/fixtures', { fixtures: scoped });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data.map(({ id }: { id: string }) => id);
}

/** A new account to which these fixtures apply. */
export async function scripted(here: World, fixtures: object[], order?: AccountSettings): Promise<TestAccount> {
  const account = await here.account(order);
  await script(account, ...fixtures);
  return account;
}

/** One user turn, or several with replies between them. */
export function chatOf(...turns: string[]) {
  const messages = turns.flatMap((content, at) => [
    ...(at === 0 ? [] : [{ role: 'assistant', content: 'Go on.' }]),
    { role: 'user', content },
  ]);
  return { model: 'svc-rp-mini', messages };
}

/** The reply to a chat, or the code of its error. */
export async function reply(account: TestAccount, ...turns: string[]): Promise<string> {
  const { body } = await account.post('/chat/completions', chatOf(...turns));
  return body.choices?.[0].message.content ?? body.error.code;
}
