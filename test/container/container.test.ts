import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { emptyFolder, startProgram } from '../cli/spawned-program.ts';
import { layProgram } from '../docs/terminal.ts';
import { copyOf, imageStages, ROOT } from './image-file.ts';

const runFile = promisify(execFile);
const [build, run] = imageStages();
const argumentsOf = (keyword: string) =>
  run?.steps.filter((step) => step.getKeyword() === keyword).map((step) => step.getArgumentsContent() ?? '') ?? [];

it('builds in one stage and runs in another, slim one, as nobody in particular, with its data in a volume', () => {
  expect(imageStages().map(({ name }) => name)).toEqual(['build', null]);
  expect(run?.image).toMatch(/-slim$/);
  expect(argumentsOf('USER')).toEqual(['node']);
  expect(argumentsOf('VOLUME')).toEqual(['/data']);
  const keywords = run?.steps.map((step) => step.getKeyword()) ?? [];
  expect(keywords.indexOf('USER')).toBeLessThan(keywords.indexOf('ENTRYPOINT'));
  expect(keywords).not.toContain('RUN');
});

it('starts the program itself, so that it hears signals, and asks it for its health without a shell', async () => {
  expect(JSON.parse(argumentsOf('ENTRYPOINT')[0] ?? '')).toEqual(['node', 'dist/main.js']);
  const [health = ''] = argumentsOf('HEALTHCHECK');
  const command = JSON.parse(health.slice(health.indexOf('[')));
  expect(command.slice(0, 2)).toEqual(['node', '-e']);
  const { url } = await startProgram(['--ephemeral']);
  const check = (port: string) => runFile(process.execPath, ['-e', command[2].replace('4600', port)]);
  await expect(check(new URL(url).port)).resolves.toBeDefined();
  await expect(check('9')).rejects.toThrow();
});

it('copies into its image all that the package publishes and runs by, and nothing that there is not', () => {
  const { files } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const copied =
    run?.steps.filter((step) => step.getKeyword() === 'COPY').flatMap((step) => copyOf(step).sources) ?? [];
  for (const needed of [
    '/build/package.json',
    '/build/node_modules',
    '/build/dist',
    '/build/fixtures',
    '/build/src/database/migrations',
  ])
    expect(copied).toContain(needed);
  expect(files).toContain('fixtures');
  const ofCheckout = copied.filter((each) => !/\/(?:dist|node_modules|data)$/.test(each));
  expect(ofCheckout.filter((each) => !existsSync(path.join(ROOT, each.replace('/build/', ''))))).toEqual([]);
  expect(build?.image).toMatch(/^node:\d+-bookworm$/);
});

it('asks in compose.yaml for a control token, and publishes its port to this machine only', () => {
  const { services, volumes } = parse(readFileSync(path.join(ROOT, 'compose.yaml'), 'utf8'));
  const emulator = services['svc-emulator'];
  expect(emulator.environment.SVC_EMULATOR_CONTROL_TOKEN).toMatch(/^\$\{SVC_EMULATOR_CONTROL_TOKEN:\?/);
  expect(emulator.ports).toEqual(['127.0.0.1:4600:4600']);
  expect(emulator.volumes).toEqual(['svc-emulator:/data']);
  expect(Object.keys(volumes)).toEqual(['svc-emulator']);
});

it('has a dev container that a reader of JSON reads', () => {
  const container = JSON.parse(readFileSync(path.join(ROOT, '.devcontainer', 'devcontainer.json'), 'utf8'));
  expect(container).toMatchObject({ forwardPorts: [4600], postCreateCommand: 'npm ci && npm run build' });
});

/** Carries out the run step of action.yml as a job does: its environment from the inputs, its outputs to files. */
function carryOut(inputs: { run: string; flags?: string }) {
  const { runs } = parse(readFileSync(path.join(ROOT, 'action.yml'), 'utf8'));
  const folder = emptyFolder();
  const bin = path.join(folder, 'bin');
  mkdirSync(bin);
  layProgram(bin, 'svc-emulator', path.join(ROOT, 'dist', 'main.js'));
  const file = (name: string) => path.join(folder, name);
  writeFileSync(file('step.sh'), runs.steps[0].run);
  const env = {
    PATH: [bin, path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
    ...{ COMMAND: inputs.run, FLAGS: inputs.flags ?? '', EMULATOR: 'svc-emulator', BASELINE: '' },
    CI: 'true',
    ...{ GITHUB_STEP_SUMMARY: file('summary'), GITHUB_OUTPUT: file('output') },
  };
  let status = 0;
  try {
    execFileSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', 'step.sh'], { cwd: folder, env, stdio: 'pipe' });
  } catch (error) {
    status = Object(error).status;
  }
  const read = (name: string) => readFileSync(file(name), 'utf8');
  const isTraced = existsSync(file('svc-traces/run.html'));
  return {
    ...{ status, isTraced, summary: read('summary'), output: read('output') },
    junit: read('svc-emulator-report/spend.xml'),
  };
}

const CHAT = `node --input-type=module -e "
  const headers = { authorization: 'Bearer ' + process.env.SVC_API_KEY, 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hello.' }] });
  await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST', headers, body });"`;

it('runs a command by the action, and tells its spend as output and on the page of the job', () => {
  const { status, isTraced, summary, output, junit } = carryOut({ run: CHAT });
  expect([status, isTraced]).toEqual([0, false]);
  expect(output).toBe('credits=1\n');
  expect(summary).toContain('1 request, **1 credit**, 0 refunds.');
  expect(junit).toContain('<testcase classname="run" name="spend is counted"/>');
});

it("fails the action's job with the command's exit code, and when a gate falls, with report and trace written", () => {
  expect(carryOut({ run: `${CHAT}; exit 7` })).toMatchObject({ status: 7, isTraced: true, output: 'credits=1\n' });
  const over = carryOut({ run: CHAT, flags: '--max-credits 0' });
  expect([over.status, over.isTraced]).toEqual([1, true]);
  expect(over.summary).toContain('**Gates that fell**');
  expect(over.junit).toContain('failures="1"');
});
