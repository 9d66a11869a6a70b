import type { AccountClient, Plan } from '../client/account-client.ts';
import type { EmulatorClient, Progression } from '../client/emulator-client.ts';
import { type ConfigOptions, runningEmulator, runningToken } from '../config/config.ts';
import { connectEmulator, startEmulator } from '../index.ts';
import { requestStory } from '../testing/request-story.ts';

/** What a test's own account is: 1,000 credits on the studio plan, its jobs moving as everybody's, unless told otherwise. */
export interface AccountFixture {
  plan?: Plan;
  credits?: number;
  progression?: Omit<Progression, 'accountId'>;
}

/** An emulator that fixtures use, and how they let it go. */
export interface OpenEmulator {
  emulator: EmulatorClient;
  close(): Promise<void>;
}

/** What an account may be called, in characters. */
const NAME_LIMIT = 200;

/**
 * The emulator that `svc-emulator exec` has started for this process, else one of its own with these options, in which a
 * job that nobody polls settles at once unless `settleAfter` says otherwise.
 */
export async function openEmulator(options: ConfigOptions = {}): Promise<OpenEmulator> {
  const running = runningEmulator();
  if (running) {
    const controlToken = runningToken();
    return { emulator: connectEmulator(running, controlToken ? { controlToken } : {}), close: async () => {} };
  }
  const emulator = await startEmulator({ settleAfter: '0', ...options });
  return { emulator, close: () => emulator.close() };
}

/** A new account that is called as its test. */
export async function openAccount(
  emulator: EmulatorClient,
  testName: string,
  { plan = 'studio', credits = 1000, progression }: AccountFixture = {},
): Promise<AccountClient> {
  const account = await emulator.account({ name: [...testName].slice(0, NAME_LIMIT).join(''), plan, credits });
  if (progression) await emulator.setProgression({ ...progression, accountId: account.id });
  return account;
}

/** What stands below a failed test. */
export async function failureStory(emulator: EmulatorClient, account: AccountClient): Promise<string> {
  return `Requests of ${account.id}:\n${(await requestStory(emulator, account)) || '(none)'}`;
}
