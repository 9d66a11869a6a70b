import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ActionJob, readAction } from './action-job.ts';
import { ROOT } from './image-file.ts';

const CHAT = `curl -sS -o /dev/null -H "authorization: Bearer $SVC_API_KEY" -H 'content-type: application/json' \\
  -d '{"model":"svc-rp-mini","messages":[{"role":"user","content":"Hello."}]}' "$OPENAI_BASE_URL/chat/completions"`;

const BROKEN = { run: `${CHAT}; exit 7`, comment: 'true' };

it('runs a command in the GitHub action, writes its cost to outputs, summary and artifact, and compares the next run with it', async () => {
  const job = new ActionJob();
  const { status, outputs, upload, log } = await job.use({ run: CHAT, comment: 'true' }, 3);
  expect(status).toBe(0);
  expect(outputs).toEqual({ credits: '1', 'exit-code': '0', artifact: 'svc-emulator-test-3' });
  expect(job.summary).toContain('1 request, **1 credit**, 0 refunds.');
  expect(job.summary.match(/## svc-emulator/g)).toHaveLength(1);
  expect(job.file('svc-emulator-report/spend.xml')).toContain('name="the command succeeds"/>');
  expect(upload).toEqual({
    name: 'svc-emulator-test-3',
    folders: ['./svc-emulator-report', './svc-traces'],
  });
  expect(existsSync(path.join(job.workspace, 'svc-traces/run.html'))).toBe(false);
  // The action looks for its comment, but writes none for a run that passes and never failed before.
  expect(log).not.toContain('::warning');
  expect(job.calls).toEqual(['GET repos/example/app/issues/7/comments?per_page=100&page=1']);
  expect(job.comments).toEqual([]);

  const second = await job.use({ run: `${CHAT}; ${CHAT}`, baseline: 'svc-emulator-report/spend.json' }, 3);
  expect(second.status).toBe(0);
  expect(second.log).toContain('in all: 1 -> 2 credits (+1)');
  expect([second.upload?.name, second.outputs.artifact]).toEqual(['svc-emulator-test-3-2', 'svc-emulator-test-3-2']);
  expect(job.calls).toHaveLength(1);
});

it('fails the action if a gate fails, passes flags without shell expansion, and uploads nothing if the input artifact is empty', async () => {
  const job = new ActionJob();
  const flags = '--max-credits 0\n  --report *.json';
  const { status, outputs, upload } = await job.use({ run: CHAT, flags, artifact: '' });
  expect([status, outputs.credits, outputs['exit-code']]).toEqual([1, '1', '1']);
  expect([upload, outputs.artifact]).toEqual([undefined, '']);
  expect(job.summary).toContain('**Failed gates**');
  expect(JSON.parse(job.file('*.json'))).toMatchObject({ credits: 1 });
});

it('fails the action if any part of a pipe fails, skips the following lines, and uploads no traces from outside its working directory', async () => {
  const job = new ActionJob();
  const below = ['web', 'web/packages/[id]/svc-traces', 'web/node_modules/other/svc-traces', 'api/svc-traces'];
  for (const folder of below) mkdirSync(path.join(job.workspace, folder), { recursive: true });
  const run = `${CHAT}; pwd > here; (exit 5) | tee log\necho passed over > reached\n`;
  const use = await job.use({ run, 'working-directory': 'web', artifact: 'spend of today' });
  expect([use.status, use.outputs['exit-code']]).toEqual([5, '5']);
  expect(job.file('web/here').trim()).toBe(path.join(job.workspace, 'web'));
  expect(existsSync(path.join(job.workspace, 'web/reached'))).toBe(false);
  expect(job.file('web/svc-emulator-report/spend.xml')).toContain('ended with exit code 5.');
  expect(job.file('web/svc-traces/run.html')).toContain('id="record"');
  expect(use.upload?.name).toBe('spend of today');
  const [report, ...traces] = use.upload?.folders ?? [];
  expect(report).toBe('web/svc-emulator-report');
  expect(traces.sort()).toEqual(['web/packages/[[]id]/svc-traces', 'web/svc-traces']);
  expect(existsSync(path.join(job.workspace, 'svc-emulator-report'))).toBe(false);
});

it('writes one comment on the pull request of a failed run, updates it if the run passes later, and changes no other comment', async () => {
  const job = new ActionJob();
  const broken = '<!-- svc-emulator checks%2Ftest-0 broken -->\n';
  const others = [
    ...Array.from({ length: 100 }, (_, index) => ({ id: index + 1, user: { login: 'ann' }, body: 'Looks good.' })),
    { id: 101, user: { login: 'ann' }, body: `${broken}quoted by a person` },
    { id: 102, user: { login: 'github-actions[bot]' }, body: 'Coverage: 91%' },
    { id: 103, user: { login: 'github-actions[bot]' }, body: broken.replace('test-0', 'test-01') },
  ];
  job.comments = others;
  job.isFork = true;
  const refused = await job.use(BROKEN);
  expect([refused.status, refused.failed]).toEqual([7, ['run']]);
  expect(refused.log).toContain(
    '::warning title=svc-emulator::No comment was written on pull request 7 (gh: Resource not accessible by integration (HTTP 403)).',
  );
  expect(job.comments).toEqual(others);
  job.isFork = false;
  await job.commentAgain();
  const [own] = job.comments.slice(others.length);
  expect(own?.body).toMatch(
    /^<!-- svc-emulator checks%2Ftest-0 broken -->\n`checks \/ test-0` is broken, with exit code 7: \[run 12\]\(https:\/\/github\.com\/example\/app\/actions\/runs\/12\)\.\n\n### svc-emulator\n/,
  );
  await job.commentAgain();
  expect(job.comments.slice(others.length)).toEqual([own]);
  job.startAnew();
  await job.use({ ...BROKEN, run: CHAT });
  const [fixed] = job.comments.slice(others.length);
  expect(fixed).toMatchObject({
    id: own?.id,
    body: expect.stringMatching(
      /^<!-- svc-emulator checks%2Ftest-0 fixed -->\n`checks \/ test-0` is fixed: \[run 12\]/,
    ),
  });
  const before = job.calls.length;
  await job.commentAgain();
  expect(job.calls.slice(before).filter((call) => !call.startsWith('GET '))).toEqual([]);
  writeFileSync(path.join(job.bin, 'gh'), '#!/bin/sh\necho "<html>"\n');
  const unread = await job.commentAgain();
  expect(unread.failed).toEqual([]);
  expect(unread.log).toMatch(/^::warning title=svc-emulator::No comment was written on pull request 7 \(/m);
  const { length } = job.calls;
  expect(await job.commentAgain('cancelled')).toMatchObject({ failed: [], log: '' });
  expect(job.calls).toHaveLength(length);
  expect(job.comments).toEqual([...others, fixed]);
});

it.each([
  ['the flags are wrong', { run: CHAT, flags: '--max-credits many' }, 2],
  ['there is no working-directory', { run: CHAT, 'working-directory': 'nowhere' }, 1],
])('writes no comment, but a notice, if %s', async (_what, inputs, status) => {
  const job = new ActionJob();
  const steps = await job.use({ ...inputs, comment: 'true' });
  expect([steps.status, steps.failed]).toEqual([status, ['run']]);
  expect(steps.log).toContain('::notice title=svc-emulator::Nothing is commented: the run wrote no summary.');
  expect(job.calls).toEqual([]);
});

it('names a shell for every command of the action, and declares and documents all inputs', () => {
  const { inputs, outputs, runs } = readAction();
  expect(runs.using).toBe('composite');
  for (const [name, each] of Object.entries({ ...inputs, ...outputs })) expect(each.description, name).toMatch(/\.$/);
  for (const [name, { required, default: usual }] of Object.entries(inputs)) {
    expect(required === true || typeof usual === 'string', name).toBe(true);
  }
  const page = readFileSync(path.join(ROOT, 'docs', 'ci.md'), 'utf8');
  expect(Object.keys(inputs).filter((name) => !page.includes(`\n| \`${name}\` |`))).toEqual([]);
  const text = readFileSync(path.join(ROOT, 'action.yml'), 'utf8');
  const used = (pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map(([, name]) => name))].sort();
  expect(used(/\binputs\.([\w-]+)/g)).toEqual(Object.keys(inputs).sort());
  expect(used(/\bsteps\.([\w-]+)/g)).toEqual(runs.steps.flatMap(({ id }) => id ?? []));
  for (const { run, shell, uses } of runs.steps) {
    expect([run, uses].filter((each) => each !== undefined)).toHaveLength(1);
    expect(shell).toBe(run === undefined ? undefined : 'bash');
  }
  const scripts = used(/GITHUB_ACTION_PATH\/([\w./-]+)/g);
  expect(scripts).toEqual(['scripts/action-comment.mjs', 'scripts/action-run.sh']);
  for (const script of scripts) expect(existsSync(path.join(ROOT, script ?? ''))).toBe(true);
});
