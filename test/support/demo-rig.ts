import { createHash } from 'node:crypto';
import type { TestAccount, World } from './world.ts';

/** The account that the demo populates, once everything is made and its events are delivered. */
export async function populated(at: World): Promise<TestAccount> {
  await at.wait('event:flow.run.waiting', { timeout: 120 });
  await at.idle();
  return at.first();
}

/** The records that the demo made, without times and addresses, and the SHA-256 of each file. */
export async function demoState(account: TestAccount): Promise<Record<string, unknown>> {
  const { world } = account;
  const ids = async (list: string) => {
    const { body } = await world.control('GET', `/${list}`);
    return body.data.map(({ id, name, status }: Record<string, unknown>) => ({ id, name, status }));
  };
  const entries = await account.entries();
  const library = await account.library();
  return {
    ledger: entries.map(({ id, type, amount, balance }) => ({ id, type, amount, balance })),
    library: await Promise.all(
      library.map(async ({ id, kind, url }) => ({ id, kind, sha256: await sha256(world, url) })),
    ),
    events: (await account.envelopes()).map(({ id, type }) => ({ id, type })),
    deliveries: await ids('deliveries'),
    ...{ jobs: await ids('jobs'), elements: await ids('elements') },
    ...{ flows: await ids('flows'), runs: await ids('runs') },
  };
}

async function sha256(world: World, url: string): Promise<string> {
  const { bytes } = await world.call('GET', url);
  return createHash('sha256').update(bytes).digest('hex');
}
