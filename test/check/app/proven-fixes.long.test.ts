import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { ExploreReport } from '../../../src/index.ts';
import { runToEnd } from '../../cli/spawned-program.ts';
import { atEnd } from '../../support/at-end.ts';
import { drawnOf } from '../../support/sample.ts';
import { brokenOf, copyOf } from './bank-sample.ts';

/** Bugs of the bank, each with the deviations that show it. */
const SHOP = {
  'orders again after a lost answer': 'lost_answer',
  'takes a lost answer as a failure and refunds': 'lost_answer',
  'ignores Retry-After': 'status:429',
  'takes 503 as accepted': 'status:503',
  'takes 429 as final and keeps the money': 'status:429',
  'retries a 402': 'empty_balance',
  'no age check': 'replayed',
  'waits for webhooks alone': 'lost',
  'no signature check': 'forged',
  'verifies re-serialised JSON': 'spelled',
  'keeps half a file': 'truncated',
  'takes the 500 of a poll for a failed job': 'status:500',
};
const CARDS = {
  'orders again after a lost answer': 'lost_answer',
  'no age check': 'replayed',
  'verifies re-serialised JSON': 'spelled',
  'prints for each delivery': 'duplicate',
  'takes 429 as final and keeps the money': 'status:429',
  'ignores Retry-After': 'status:429',
  'retries a 402': 'empty_balance',
  'keeps half a file': 'truncated',
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

/** Where the imports of an application resolve. */
const CACHE = path.join(here, '../../../node_modules/.cache');
mkdirSync(CACHE, { recursive: true });

/** A repository that holds one application. */
class Repository {
  readonly folder = mkdtempSync(path.join(CACHE, 'proof-'));
  readonly #app: keyof typeof COMMANDS;

  constructor(app: keyof typeof COMMANDS) {
    this.#app = app;
    atEnd(() => rmSync(this.folder, { recursive: true, force: true }));
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

  /** The token of the first finding under one kind of deviation. */
  async find(only: string): Promise<string> {
    const { report, stderr } = await this.#run('explore', '--only', only, '--bound', '1', '--stop-after', '1');
    const { findings } = report as ExploreReport;
    if (findings[0]) return findings[0].token;
    throw new Error(`The bug was not found: ${stderr}`);
  }

  async prove(token: string) {
    const { exit, report } = await this.#run('check', 'app', '--prove', token, '--base', 'HEAD');
    return { exit, proven: report.proven };
  }

  async #run(...words: string[]) {
    const line = [...words, '--report', 'report.json', ...COMMANDS[this.#app]];
    const { exitCode: exit, stderr } = await runToEnd(line, {}, this.folder);
    const report = JSON.parse(readFileSync(path.join(this.folder, 'report.json'), 'utf8'));
    return { exit, stderr, report };
  }

  #git(...args: string[]): void {
    execFileSync('git', args, { cwd: this.folder });
  }
}

// All twenty with `PROOFS=whole`, which takes a quarter of an hour.
it.each(process.env.PROOFS === 'whole' ? BUGS : drawnOf(BUGS, 6))(
  'proves a fix in the %s (%s), and nothing where nothing was mended or nothing failed',
  async (app, bug, only) => {
    const repository = new Repository(app);
    await repository.write(bug);
    repository.commit();
    const token = await repository.find(only);
    expect(await repository.prove(token)).toEqual({ exit: 1, proven: false });
    await repository.write();
    expect(await repository.prove(token)).toEqual({ exit: 0, proven: true });
    repository.commit();
    expect(await repository.prove(token)).toEqual({ exit: 1, proven: false });
  },
  300_000,
);
