import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { toShellCommandLine } from '../../src/check/token.ts';
import { emptyFolder } from '../cli/spawned-program.ts';
import { layProgram } from '../docs/terminal.ts';
import { type CommandRun, commandHere } from '../support/command-here.ts';
import { RUN_CLOCK } from '../support/run-clock.ts';
import { ROOT } from './image-file.ts';

interface Step {
  id?: string;
  if?: string;
  uses?: string;
  run?: string;
  shell?: string;
  'working-directory'?: string;
  env?: Record<string, string>;
  with?: Record<string, string>;
}

interface Action {
  inputs: Record<string, { description?: string; required?: boolean; default?: string }>;
  outputs: Record<string, { description?: string; value: string }>;
  runs: { using: string; steps: Step[] };
}

/** The result of a step, which later steps can read. */
interface EndedStep {
  outcome: 'success' | 'failure' | 'cancelled';
  outputs: Record<string, string>;
}

type Contexts = Record<string, unknown>;

const MAIN = path.join(ROOT, 'dist', 'main.js');

export interface Comment {
  id: number;
  user: { login: string };
  body: string;
}

interface Use {
  /** The exit code of the first step that failed, or 0. */
  status: number;
  /** The ids of the failed steps, or their scripts. */
  failed: string[];
  log: string;
  outputs: Record<string, string>;
  /** The inputs of upload-artifact, if it was used. */
  upload: { name: string; folders: string[] } | undefined;
}

export function readAction(): Action {
  return parse(readFileSync(path.join(ROOT, 'action.yml'), 'utf8'));
}

/** A job of a workflow on a pull request: carries out the steps of action.yml as a runner does. */
export class ActionJob {
  readonly #folder = emptyFolder();
  readonly workspace = path.join(this.#folder, 'workspace');
  readonly bin = path.join(this.#folder, 'bin');
  /** Whether GitHub rejects writes, as it does for pull requests from forks. */
  isFork = false;
  /** The comments on the pull request. */
  comments: Comment[] = [];
  /** The calls of `gh` so far, as method and path. */
  readonly calls: string[] = [];
  readonly #prepared: Promise<void>;
  #steps: Record<string, EndedStep> = {};
  #contexts: Contexts = {};

  constructor() {
    for (const name of ['bin', 'workspace', 'temp']) mkdirSync(path.join(this.#folder, name));
    layProgram(this.bin, 'svc-emulator', MAIN);
    this.#prepared = this.#layGh();
  }

  /** Uses the action once: `row` is the index of the job in its matrix. */
  async use(given: Record<string, string>, row = 0): Promise<Use> {
    const { inputs: declared, outputs, runs } = readAction();
    const defaults = Object.entries(declared).map(([name, input]) => [name, input.default ?? '']);
    const inputs = { ...Object.fromEntries(defaults), 'svc-emulator': 'svc-emulator', ...given };
    const github = { job: 'test', token: 'ghs_1', event: { pull_request: { number: 7 } } };
    const steps: Record<string, EndedStep> = {};
    const contexts = { inputs, github, strategy: { 'job-index': row }, steps };
    [this.#steps, this.#contexts] = [steps, contexts];
    const use = newUse();
    for (const step of runs.steps) {
      if (step.if === undefined ? use.status !== 0 : !isTrue(step.if, contexts)) continue;
      const ended = step.uses === undefined ? await this.#run(step, contexts, use) : upload(step, contexts, use);
      if (step.id !== undefined) steps[step.id] = ended;
    }
    for (const [name, { value }] of Object.entries(outputs)) use.outputs[name] = fill(value, contexts);
    return use;
  }

  /** Repeats the last step, as in a later run with the same outcome or the given one. */
  async commentAgain(outcome?: EndedStep['outcome']): Promise<Use> {
    const use = newUse();
    if (this.#steps.run && outcome) this.#steps.run.outcome = outcome;
    await this.#run(readAction().runs.steps.at(-1) as Step, this.#contexts, use);
    return use;
  }

  /** Begins the next run, as after a push, with an empty folder for temporary files. */
  startAnew(): void {
    rmSync(this.#file('temp'), { recursive: true });
    mkdirSync(this.#file('temp'));
  }

  /** The text on the summary page of the job. */
  get summary(): string {
    return this.#read('summary');
  }

  file(name: string): string {
    return readFileSync(path.join(this.workspace, name), 'utf8');
  }

  /** Creates a `gh` program whose work runs in this process. */
  async #layGh(): Promise<void> {
    const program = path.join(this.bin, 'gh');
    const words = await commandHere(async (run) => this.#gh(run));
    const input = "case $GH_ARGS in *' --input -') GH_INPUT=$(cat); export GH_INPUT;; esac";
    writeFileSync(program, `#!/usr/bin/env bash\nexport GH_ARGS="$*"\n${input}\nexec ${toShellCommandLine(words)}\n`);
    chmodSync(program, 0o755);
  }

  #gh(run: CommandRun): void {
    const { GH_ARGS = '', GH_INPUT = '{}', GH_TOKEN } = run.env;
    const [api, flag, method, address = ''] = GH_ARGS.split(' ');
    this.calls.push(`${method} ${address}`);
    const end = (err: string) => Object.assign(run, { err: `${err}\n`, end: 'exit 1' });
    if (!GH_TOKEN || api !== 'api' || flag !== '--method') return void end('gh: unknown call');
    if (this.isFork && method !== 'GET') return void end('gh: Resource not accessible by integration (HTTP 403)');
    const found = this.#comment(method, new URL(address, 'https://api.example/'), JSON.parse(GH_INPUT).body);
    if (found) run.out = JSON.stringify(found);
    else end('gh: Not Found (HTTP 404)');
  }

  #comment(method: string | undefined, { pathname, searchParams }: URL, body: string | undefined): object | undefined {
    const [, of, id] = /^\/repos\/example\/app\/issues\/(?:7\/(comments)|comments\/(\d+))$/.exec(pathname) ?? [];
    if (method === 'GET' && of) {
      const [size = 0, page = 0] = ['per_page', 'page'].map((name) => Number(searchParams.get(name)));
      return this.comments.slice(size * (page - 1), size * page);
    }
    if (body === undefined) return undefined;
    const known = this.comments.find((comment) => String(comment.id) === id);
    if (method === 'PATCH' && known) {
      const edited = { ...known, body };
      this.comments = this.comments.map((comment) => (comment === known ? edited : comment));
      return edited;
    }
    if (method !== 'POST' || !of) return undefined;
    const made = { id: this.comments.length + 1, user: { login: 'github-actions[bot]' }, body };
    this.comments = [...this.comments, made];
    return made;
  }

  async #run(step: Step, contexts: Contexts, use: Use): Promise<EndedStep> {
    await this.#prepared;
    writeFileSync(this.#file('step.sh'), fill(step.run ?? '', contexts));
    writeFileSync(this.#file('output'), '');
    const own = Object.entries(step.env ?? {}).map(([name, value]) => [name, fill(value, contexts)]);
    const env = { ...this.#env(), ...Object.fromEntries(own) };
    const cwd = path.join(this.workspace, fill(step['working-directory'] ?? '', contexts));
    const status = await new Promise<number>((resolve) => {
      const args = ['--noprofile', '--norc', '-eo', 'pipefail', this.#file('step.sh')];
      execFile('bash', args, { cwd, env }, (error, stdout, stderr) => {
        use.log += stdout + stderr;
        resolve(error ? Number(error.code) || 1 : 0);
      });
    });
    use.status ||= status;
    if (status !== 0) use.failed.push(step.id ?? step.run ?? '');
    return { outcome: status === 0 ? 'success' : 'failure', outputs: outputsOf(this.#read('output')) };
  }

  #env(): Record<string, string> {
    return {
      ...{ ...RUN_CLOCK, CI: 'true', SVC_EMULATOR_WARM: 'false' },
      PATH: [this.bin, path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
      ...{ GITHUB_ACTION_PATH: ROOT, RUNNER_TEMP: this.#file('temp'), GITHUB_WORKFLOW: 'checks' },
      ...{ GITHUB_OUTPUT: this.#file('output'), GITHUB_STEP_SUMMARY: this.#file('summary') },
      ...{ GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'example/app', GITHUB_RUN_ID: '12' },
    };
  }

  #file(name: string): string {
    return path.join(this.#folder, name);
  }

  #read(name: string): string {
    return existsSync(this.#file(name)) ? readFileSync(this.#file(name), 'utf8') : '';
  }
}

function newUse(): Use {
  return { status: 0, failed: [], log: '', outputs: {}, upload: undefined };
}

function upload(step: Step, contexts: Contexts, use: Use): EndedStep {
  const { name = '', path: folders = '' } = step.with ?? {};
  use.upload = { name: fill(name, contexts), folders: fill(folders, contexts).split('\n').filter(Boolean) };
  return { outcome: 'success', outputs: {} };
}

/** Parses lines such as `name=value`, and `name<<END` with the lines of the value up to END. */
function outputsOf(text: string): Record<string, string> {
  const lines = /^([\w-]+)(?:=(.*)|<<(.*)\n([\s\S]*?)\n?^\3)$/gm;
  return Object.fromEntries([...text.matchAll(lines)].map(([, name, one, , many]) => [name, one ?? many ?? '']));
}

function fill(text: string, contexts: Contexts): string {
  return text.replace(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => String(evaluate(expression, contexts) ?? ''));
}

function isTrue(condition: string, contexts: Contexts): boolean {
  const [, expression = condition] = /^\$\{\{ (.*) \}\}$/.exec(condition) ?? [];
  return expression.split(' && ').every((part) => {
    const [left = '', operator, right = ''] = part.split(/ (==|!=) /);
    if (operator === undefined) return Boolean(evaluate(left, contexts));
    const isSame = String(evaluate(left, contexts) ?? '') === String(evaluate(right, contexts));
    return isSame === (operator === '==');
  });
}

/** Evaluates the GitHub expressions that action.yml uses: a text, `always()`, and a path into a context. */
function evaluate(expression: string, contexts: Contexts): unknown {
  const [, text] = /^'(.*)'$/.exec(expression) ?? [];
  if (text !== undefined) return text;
  if (expression === 'always()') return true;
  return expression.split('.').reduce<unknown>((value, name) => Object(value)[name], contexts);
}
