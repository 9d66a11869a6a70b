import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { type RunnerTask, type RunnerTestCase, type RunnerTestFile, TestRunner } from 'vitest';
import { armOwnLie, hasEmulator, type OwnLie, timesTold } from './own-lie.ts';

/** How long a test may take under a lie, beyond five times what it took on the truth. */
const MOST_MS = 15_000;

/** What a test made of a lie; without a lie, of the truth. */
interface Outcome {
  file: string;
  title: string;
  rules: readonly string[];
  lie?: string;
  /** How often the lie acted. */
  told: number;
  failed: boolean;
  /** Whether the test passes on the truth afterwards: else its failure means nothing. */
  isSteady: boolean;
  why: string;
}

/**
 * Runs each test on the truth, and then under every lie of `OWN_LIES` that breaks a rule which its title names, in the one
 * process that has read the sources. After a failure under a lie it has to pass on the truth. `OWN_LIES_RECORD` is the file
 * to which each outcome is added as a line of JSON.
 */
export default class LieRunner extends TestRunner {
  readonly #lies: readonly OwnLie[] = JSON.parse(process.env.OWN_LIES ?? '[]');
  #truthMs = 0;
  #startedAt = 0;
  #last: Outcome | undefined;
  #isRed = false;

  /** One after another: they share the emulator that lies. A lie has two runs, the second on the truth. */
  onCollected(files: RunnerTestFile[]): void {
    for (const test of files.flatMap(testsIn)) {
      Object.assign(test, { concurrent: false, retry: 0, repeats: 2 * this.#liesOf(test).length });
    }
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    if (!hasEmulator() || this.#liesOf(test).length === 0) test.mode = 'skip';
    await super.onBeforeRunTask(test);
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    const [run, lie] = this.#runOf(test);
    const isNeeded = run === 'truth' || (run === 'lie' ? !this.#isRed : this.#last?.failed);
    if (!isNeeded) return;
    await armOwnLie(lie);
    this.#startedAt = performance.now();
    const body = TestRunner.getTestFn(test)();
    await (run === 'lie' ? withinTime(body, MOST_MS + 5 * this.#truthMs) : body);
  }

  async onAfterRetryTask(test: RunnerTestCase): Promise<void> {
    const [run, lie] = this.#runOf(test);
    const { state, errors: [error] = [] } = test.result ?? {};
    const failed = state === 'fail';
    if (run !== 'truth' && this.#isRed) return;
    if (run === 'truth') {
      this.#truthMs = performance.now() - this.#startedAt;
      this.#isRed = failed;
    }
    if (run === 'check' && this.#last) {
      record({ ...this.#last, isSteady: !failed });
    } else {
      const named = { file: path.relative('.', test.file.filepath), title: test.name, rules: rulesOf(test) };
      const told = { ...(lie && { lie: lie.lie }), told: await timesTold(failed), failed, why: error?.message ?? '' };
      this.#last = { ...named, ...told, isSteady: true };
      if (run === 'truth') record(this.#last);
    }
    Object.assign(test.result ?? {}, { state: 'pass', errors: undefined });
  }

  /** What the present run of a test is for: the truth, a lie, or the truth after a lie. */
  #runOf(test: RunnerTestCase): ['truth' | 'lie' | 'check', OwnLie?] {
    const count = test.result?.repeatCount ?? 0;
    if (count === 0) return ['truth'];
    return count % 2 === 1 ? ['lie', this.#liesOf(test)[(count - 1) / 2]] : ['check'];
  }

  #liesOf(test: RunnerTestCase): OwnLie[] {
    const rules = rulesOf(test);
    return this.#lies.filter(({ rule }) => rule.some((id) => rules.includes(id)));
  }
}

function testsIn(task: RunnerTask): RunnerTestCase[] {
  return task.type === 'suite' ? task.tasks.flatMap(testsIn) : [task];
}

/** A title ends with the rules that its test holds. */
function rulesOf({ name }: RunnerTestCase): string[] {
  return /\[([^\]]*)\]$/.exec(name)?.[1]?.split(' ') ?? [];
}

async function withinTime(body: unknown, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`It timed out under the lie, after ${Math.round(ms)} ms.`)), ms);
  });
  await Promise.race([body, late]).finally(() => clearTimeout(timer));
}

function record(outcome: Outcome): void {
  if (process.env.OWN_LIES_RECORD) appendFileSync(process.env.OWN_LIES_RECORD, `${JSON.stringify(outcome)}\n`);
}
