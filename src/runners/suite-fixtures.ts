import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { AccountClient } from '../client/account-client.ts';
import type { Plan, Progression } from '../client/client-records.ts';
import type { EmulatorClient } from '../client/emulator-client.ts';
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

/** Where the traces of failed tests are written, below the folder of the run. */
const TRACES = 'svc-traces';
const NAME_OF_FILE = 100;

/** Writes what the account of a failed test did, as one page; answers the line that says where. No failure of its own hides that of the test. */
export async function failureTrace(
  emulator: EmulatorClient,
  account: AccountClient,
  testName: string,
): Promise<string> {
  const words = testName.match(/[\p{L}\p{N}]+/gu)?.join('-') ?? '';
  const name = `${[...words].slice(0, NAME_OF_FILE).join('') || 'test'}-${account.id.slice(-6)}.html`;
  try {
    const html = await emulator.trace({
      account,
      title: [...testName].slice(0, NAME_LIMIT).join(''),
      failure: 'The test failed.',
    });
    mkdirSync(TRACES, { recursive: true });
    writeFileSync(path.join(TRACES, name), html);
    return `Trace: ${path.join(TRACES, name)}`;
  } catch (error) {
    return `No trace was written: ${(error as Error).message}`;
  }
}

/** What stands below a failed test. */
export async function failureStory(emulator: EmulatorClient, account: AccountClient): Promise<string> {
  return `Requests of ${account.id}:\n${(await requestStory(emulator, account)) || '(none)'}`;
}
