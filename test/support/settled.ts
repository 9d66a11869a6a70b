import type { TestAccount } from './world.ts';

type Delivery = Awaited<ReturnType<TestAccount['deliveries']>>[number];

/** Waits for the deliveries of an account to become final. */
export class Settled {
  readonly #account: TestAccount;

  constructor(account: TestAccount) {
    this.#account = account;
  }

  /** Resolves with all of them, oldest first, once there are `count` and each is delivered or has failed. */
  async deliveries(count: number): Promise<Delivery[]> {
    for (;;) {
      const deliveries = await this.#account.deliveries();
      const final = deliveries.filter(({ status }) => /^(delivered|failed)$/.test(status));
      if (deliveries.length >= count && final.length === deliveries.length) return deliveries;
    }
  }
}
