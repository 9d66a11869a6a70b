import { lookUntil } from './look-until.ts';
import type { AccountSettings, TestAccount, World } from './world.ts';

export interface ShownRule {
  id: string;
  applied: number;
  remaining: number | null;
}

/** Creates a fault rule for one account, and returns a function that reads its current state. */
export async function rule(
  account: TestAccount,
  effect: object,
  more: { match?: object; times?: number; probability?: number; ttl_seconds?: number } = {},
): Promise<() => Promise<ShownRule>> {
  const { world, id: account_id } = account;
  const order = { ...more, match: { ...more.match, account_id }, effect };
  const { status, body } = await world.control('POST', '/faults', order);
  if (status !== 201) throw new Error(`no rule: ${JSON.stringify(body)}`);
  return async () => {
    const list = await world.control('GET', `/faults?account_id=${account_id}`);
    return list.body.data.find(({ id }: ShownRule) => id === body.id);
  };
}

export async function faultyAccount(
  here: World,
  effect: object,
  more?: Parameters<typeof rule>[2],
  order?: AccountSettings,
) {
  const account = await here.account(order);
  return { account, shown: await rule(account, effect, more) };
}

/** The requests of an account in the journal, oldest first, once there are `count`. */
export async function journalled(account: TestAccount, count: number) {
  const read = async () => (await account.world.control('GET', `/requests?account_id=${account.id}`)).body.data;
  await account.world.until(async () => (await read()).length >= count);
  return (await read()).toReversed();
}

/** Waits until a rule has applied to a request that is still open. */
export function appliedFault(shown: () => Promise<ShownRule>): Promise<void> {
  return lookUntil(async () => (await shown()).applied > 0);
}
