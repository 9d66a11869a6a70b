import { createHash } from 'node:crypto';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { type ConfigOptions, isMutated, runningEmulator, runningToken } from '../../base/config/config.ts';
import { type RealTarget, realTarget } from '../../base/config/real-target.ts';
import { secretValues } from '../../base/config/secret-values.ts';
import { visibleText } from '../../base/visible-text.ts';
import type { Plan, Progression } from '../client-records.ts';
import type { AccountClient, EmulatorClient } from '../emulator-client.ts';
import { startEmulator } from '../local-emulator.ts';
import { accountStory } from '../request-story.ts';
import type { Skip } from './real-transport.ts';
import { nameOf, SuiteClient, SuiteTest, type TestEnd, type TestName } from './suite-client.ts';
import { keepInFolder } from './trace-folder.ts';

/** What a test's own account is: 1,000 credits on the studio plan, its jobs progressing as all others, by default. */
export interface AccountFixture {
  plan?: Plan;
  credits?: number;
  progression?: Omit<Progression, 'accountId'>;
}

/** An emulator that fixtures use, and how they let it go. */
export interface OpenEmulator {
  emulator: SuiteClient;
  close(): Promise<void>;
}

/** What an account may be called, in characters. */
const NAME_LIMIT = 200;

/**
 * The emulator that `svc-emulator exec` has started for this process, else one of its own with these options, in which a
 * job that is not polled settles at once unless `settleAfter` says otherwise.
 */
export async function openEmulator(options: ConfigOptions = {}): Promise<OpenEmulator> {
  const real = realTarget();
  if (real) return openReal(real);
  const running = runningEmulator();
  if (running) return { emulator: new SuiteClient(running, runningToken()), close: async () => {} };
  const emulator = await startEmulator({ settleAfter: '0', ...options });
  return { emulator: new SuiteClient(emulator.url, options.controlToken), close: () => emulator.close() };
}

/** The service itself, in the place of an emulator. Loaded only where a suite is pointed to it. */
async function openReal(target: RealTarget): Promise<OpenEmulator> {
  const { RealClient } = await import('./real-client.ts');
  return { emulator: new RealClient(target), close: async () => {} };
}

/** A test begins; a suite may have put a client of its own in the place of the fixture. */
export async function beginTest(emulator: EmulatorClient, name: TestName, skip?: Skip): Promise<SuiteTest> {
  if (emulator instanceof SuiteClient) return emulator.begin(name, skip);
  return new SuiteTest(name, emulator, (order) => emulator.account(order));
}

export function endTest(emulator: EmulatorClient, test: SuiteTest, end: TestEnd): Promise<void> {
  return emulator instanceof SuiteClient ? emulator.end(test, end) : test.end(end);
}

/** A new account that is called as its test. */
export async function openAccount(
  emulator: EmulatorClient,
  test: SuiteTest,
  { plan = 'studio', credits = 1000, progression }: AccountFixture = {},
): Promise<AccountClient> {
  const account = await test.account({ name: cut(nameOf(test.name), NAME_LIMIT), plan, credits });
  if (progression) await emulator.setProgression({ ...progression, accountId: account.id });
  return account;
}

/** Where the traces of failed tests are written, below the folder of the run. */
const TRACES = 'svc-traces';
/** Characters of what a test failed with. */
const LONGEST_ERROR = 4000;
/** No file system takes names of more than 255 bytes. */
const NAME_OF_FILE = 150;

/** What is printed below a failed test, and its trace as one page where one was written. */
export interface Failure {
  story: string;
  page?: string;
}

function isReal(emulator: EmulatorClient): boolean {
  return emulator instanceof SuiteClient && emulator.isReal;
}

/** Writes the trace of a failed test, and says what its accounts did. Rejects never: no failure of its own hides that of the test. */
export async function failureOf(
  emulator: EmulatorClient,
  test: SuiteTest,
  { error }: Pick<TestEnd, 'error'>,
): Promise<Failure> {
  const [first] = test.accounts;
  if (!first || isReal(emulator)) return { story: '' };
  const stories = test.accounts.map((account) =>
    accountStory(emulator, account).catch((error: Error) => `Requests of ${account.id}: ${error.message}`),
  );
  const requests = visibleText((await Promise.all(stories)).join('\n'));
  if (isMutated()) return { story: requests };
  try {
    const page = await tracePage(emulator, first, { name: test.name, error });
    const file = keepInFolder(TRACES, fileOf(test.name, first.id), { html: page, title: nameOf(test.name) });
    return { story: `Trace: ${file}\n${requests}`, page };
  } catch (error) {
    return { story: `No trace was written: ${(error as Error).message}\n${requests}` };
  }
}

/** What the account of a failed test did, as one page. */
function tracePage(
  emulator: EmulatorClient,
  account: AccountClient,
  { name, error = 'The test failed.' }: { name: TestName; error: string | undefined },
): Promise<string> {
  return emulator.trace({
    account,
    title: cut(nameOf(name), NAME_LIMIT),
    failure: cut(stripVTControlCharacters(error), LONGEST_ERROR),
    // An exec that began the emulator may have another environment.
    secrets: secretValues(),
  });
}

/** The words of a title, and a mark that distinguishes tests of one title: the same in the next run, which writes over it. */
function fileOf(test: TestName, accountId: string): string {
  const name = nameOf(test);
  const mark = createHash('sha256')
    .update(`${path.relative('.', test.file)} ${name} ${accountId}`)
    .digest('hex')
    .slice(0, 6);
  let words = cut(name.match(/[\p{L}\p{N}]+/gu)?.join('-') ?? '', NAME_OF_FILE);
  while (Buffer.byteLength(words) > NAME_OF_FILE) words = cut(words, [...words].length - 1);
  return `${words || 'test'}-${mark}.html`;
}

function cut(text: string, limit: number): string {
  return [...text].slice(0, limit).join('');
}
