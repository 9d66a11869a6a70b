import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { AccountClient } from '../client/account-client.ts';
import type { Plan, Progression } from '../client/client-records.ts';
import type { EmulatorClient } from '../client/emulator-client.ts';
import { type ConfigOptions, runningEmulator, runningToken } from '../config/config.ts';
import { secretValues } from '../config/secret-values.ts';
import { connectEmulator, startEmulator } from '../index.ts';
import { requestStory } from '../testing/request-story.ts';

/** What a test's own account is: 1,000 credits on the studio plan, its jobs progressing as all others, by default. */
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
 * job that is not polled settles at once unless `settleAfter` says otherwise.
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
  const account = await emulator.account({ name: cut(testName, NAME_LIMIT), plan, credits });
  if (progression) await emulator.setProgression({ ...progression, accountId: account.id });
  return account;
}

/** A test as its account and its trace are called; `file` is its source file, as far as its runner says so. */
export interface TestName {
  name: string;
  file: string;
}

/** Where the traces of failed tests are written, below the folder of the run. */
const TRACES = 'svc-traces';
/** No file system takes names of more than 255 bytes. */
const NAME_OF_FILE = 150;

/** Writes what the account of a failed test did, as one page; where it is, or why there is none. Rejects never: no failure of its own hides that of the test. */
export async function failureTrace(
  emulator: EmulatorClient,
  account: AccountClient,
  test: TestName,
): Promise<{ file: string } | { fault: string }> {
  try {
    const html = await emulator.trace({
      account,
      title: cut(test.name, NAME_LIMIT),
      failure: 'The test failed.',
      // An exec that began the emulator may have another environment.
      secrets: secretValues(),
    });
    const file = path.join(TRACES, fileOf(test, account.id));
    mkdirSync(TRACES, { recursive: true });
    writeFileSync(file, html);
    return { file };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

/** The words of a title, and a mark that distinguishes tests of one title: the same in the next run, which writes over it. */
function fileOf({ name, file }: TestName, accountId: string): string {
  const mark = createHash('sha256')
    .update(`${path.relative('.', file)} ${name} ${accountId}`)
    .digest('hex')
    .slice(0, 6);
  let words = cut(name.match(/[\p{L}\p{N}]+/gu)?.join('-') ?? '', NAME_OF_FILE);
  while (Buffer.byteLength(words) > NAME_OF_FILE) words = cut(words, [...words].length - 1);
  return `${words || 'test'}-${mark}.html`;
}

function cut(text: string, limit: number): string {
  return [...text].slice(0, limit).join('');
}

/** What is printed below a failed test: where its trace is, and its requests. */
export async function failureStory(
  emulator: EmulatorClient,
  account: AccountClient,
  trace: { file: string } | { fault: string },
): Promise<string> {
  const story = (await requestStory(emulator, account)) || '(none)';
  const told = 'file' in trace ? `Trace: ${trace.file}` : `No trace was written: ${trace.fault}`;
  return `${told}\nRequests of ${account.id}:\n${story}`;
}
