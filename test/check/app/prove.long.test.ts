import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { CheckReport } from '../../../src/check/check-report.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { runCommand } from '../../support/run-command.ts';
import { brokenOf, copyOf } from './bank-sample.ts';

/** Bugs of the bank, each with the deviations that show it. */
const SHOP = {
  'orders again after a lost answer': 'lost_answer',
  'takes a lost answer as a failure and refunds': 'lost_answer',
  'ignores Retry-After': 'status:429',
  'takes 503 as accepted': 'status:503',
  'takes 429 as final and keeps the money': 'status:429',
  'retries a 402': 'empty_balance',
  'a failed job never refunds the user': 'fails',
  'waits for webhooks alone': 'lost',
  'no signature check': 'forged',
  'verifies re-serialised JSON': 'spelled',
  'keeps half a file': 'truncated',
  'takes the 500 of a poll for a failed job': 'status:500',
};
const CARDS = {
  'orders again after a lost answer': 'lost_answer',
  'no signature check': 'forged',
  'verifies re-serialised JSON': 'spelled',
  'waits for webhooks alone': 'lost',
  'takes 429 as final and keeps the money': 'status:429',
  'retries a 402': 'empty_balance',
  'keeps half a file': 'truncated',
  'a failed picture is never given back': 'fails',
};
const BUGS = [
  ...Object.entries(SHOP).map((bug) => ['shop', ...bug] as const),
  ...Object.entries(CARDS).map((bug) => ['cards', ...bug] as const),
];

const FILES = { shop: 'app.mjs', cards: 'app.py' };
const here = import.meta.dirname;
const PROBE = ['--probe', `node '${path.join(here, 'shop', 'probe.mjs')}'`];
/** How each application is started from its folder, and what is done in it. */
const COMMANDS = {
  shop: [
    ...['--start', 'node app.mjs', '--ready', 'http://127.0.0.1:{port}/ready', ...PROBE],
    ...['--', `node '${path.join(here, 'shop', 'story.mjs')}'`],
  ],
  cards: [
    ...['--start', 'python3 app.py', '--ready', 'http://127.0.0.1:{port}/state', ...PROBE],
    ...['--', `python3 '${path.join(here, 'cards', 'story.py')}'`],
  ],
};

/** A repository that holds one application. */
class Repository {
  readonly folder = emptyFolder();
  readonly #app: keyof typeof COMMANDS;

  constructor(app: keyof typeof COMMANDS) {
    this.#app = app;
    this.#git('init', '--quiet');
  }

  async write(bug?: string): Promise<void> {
    const changes = bug === undefined ? [] : (await brokenOf(this.#app))[bug];
    if (!changes) throw new Error(`${this.#app} has no bug "${bug}"`);
    writeFileSync(path.join(this.folder, FILES[this.#app]), readFileSync(copyOf(this.#app, `proof ${bug}`, changes)));
  }

  commit(): void {
    this.#git('add', FILES[this.#app]);
    this.#git('-c', 'user.name=Ann', '-c', 'user.email=ann@example.test', 'commit', '--quiet', '-m', 'the app');
  }

  async check(...options: string[]): Promise<number | null> {
    const line = ['check', 'app', ...options, ...COMMANDS[this.#app]];
    return (await runCommand(line, { FORCE_COLOR: '0' }, this.folder)).exitCode;
  }

  async prove(token: string) {
    const exit = await this.check('--prove', token, '--base', 'HEAD', '--report', 'proof.json');
    return { exit, proven: this.read('proof.json').proven };
  }

  read(name: string) {
    return JSON.parse(readFileSync(path.join(this.folder, name), 'utf8'));
  }

  #git(...args: string[]): void {
    execFileSync('git', args, { cwd: this.folder });
  }
}

it.each(BUGS)(
  'proves a fix in the %s (%s), and nothing where nothing was mended or nothing failed',
  async (app, bug, only) => {
    const repository = new Repository(app);
    await repository.write(bug);
    repository.commit();
    await repository.check('--only', only, '--budget', '60s', '--report', 'found.json');
    const [finding] = (repository.read('found.json') as CheckReport).findings;
    if (!finding) throw new Error('the bug was not found');
    expect(await repository.prove(finding.token)).toEqual({ exit: 1, proven: false });
    await repository.write();
    expect(await repository.prove(finding.token)).toEqual({ exit: 0, proven: true });
    repository.commit();
    expect(await repository.prove(finding.token)).toEqual({ exit: 1, proven: false });
  },
  300_000,
);
