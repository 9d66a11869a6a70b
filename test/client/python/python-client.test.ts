import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder, MAIN } from '../../cli/spawned-program.ts';
import { cleanEnvironment } from '../../support/run-clock.ts';
import { runCommand } from '../../support/run-command.ts';

const succeeds = (module: string) => spawnSync('python3', ['-m', module, '--version']).status === 0;
const hasPython = spawnSync('python3', ['--version']).status === 0;

/** A folder with these tests and the client that the command prints. */
async function suiteFolder(...files: string[]): Promise<string> {
  const folder = emptyFolder();
  const { stdout } = await runCommand(['python-client']);
  writeFileSync(path.join(folder, 'svc_emulator.py'), stdout);
  for (const file of files) copyFileSync(path.join(import.meta.dirname, file), path.join(folder, file));
  return folder;
}

function python(folder: string, args: string[]) {
  const command = `"${process.execPath}" "${MAIN}"`;
  const env = cleanEnvironment({ SVC_EMULATOR_COMMAND: command, PYTHONDONTWRITEBYTECODE: '1' });
  const { status, stdout, stderr } = spawnSync('python3', args, { cwd: folder, env, encoding: 'utf8' });
  return { status, said: stdout + stderr };
}

it.skipIf(!hasPython)(
  'calls the service and control operations from Python, with the standard library only',
  async () => {
    const { status, said } = python(await suiteFolder('test_client.py'), ['-S', '-W', 'error', 'test_client.py']);
    expect(said).toMatch(/Ran \d\d tests in [\d.]+s\n\nOK\n$/);
    expect(said).not.toContain('Warning');
    expect(status).toBe(0);
  },
  120_000,
);

it.skipIf(!hasPython)(
  'raises an error if a server is not an emulator, and does not send the key to the target of a redirect',
  async () => {
    const { status, said } = python(await suiteFolder('test_hostile.py'), ['-W', 'error', 'test_hostile.py']);
    expect(said).toMatch(/Ran \d tests in [\d.]+s\n\nOK\n$/);
    expect(status).toBe(0);
  },
);

it.skipIf(!hasPython || !succeeds('pytest'))(
  'offers fixtures to pytest, and prints the requests of a failed test',
  async () => {
    const folder = await suiteFolder('test_fixtures.py');
    writeFileSync(path.join(folder, 'conftest.py'), 'pytest_plugins = ["svc_emulator"]\n');
    const { status, said } = python(folder, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'test_fixtures.py']);
    expect(said).toContain('1 failed, 5 passed');
    expect(said).toContain('FAILED test_fixtures.py::test_shows_the_requests_of_one_that_fails');
    expect(said).toMatch(/- Requests of acct_\w+ -.*\nPOST \/v1\/chat\/completions -> 200, 1 credit /);
    expect(said).toMatch(/^GET \/v1\/account -> 200, 0 credits, retry 1 \(req_\w+\)$/m);
    expect(said).toMatch(/^job_\w+ of svc-\S+ is (?:queued|processing), ordered at 2\S+Z$/m);
    expect(status).toBe(1);
  },
);

it.skipIf(!hasPython || !succeeds('pytest'))(
  'includes the end of a compared list in the error that it reports to check, although pytest shortens the list',
  async () => {
    const folder = await suiteFolder();
    writeFileSync(path.join(folder, 'conftest.py'), 'pytest_plugins = ["svc_emulator"]\n');
    writeFileSync(path.join(folder, 'test_stream.py'), STREAM_TEST);
    const pytest = ['python3', '-m', 'pytest', '-q', '-p', 'no:cacheprovider'];
    const line = [MAIN, 'exec', '--report', 'report.json', '--', ...pytest];
    const env = cleanEnvironment({ SVC_CHECK: '1', PYTHONDONTWRITEBYTECODE: '1' });
    expect(spawnSync(process.execPath, line, { cwd: folder, env }).status).toBe(1);
    const report = JSON.parse(readFileSync(path.join(folder, 'report.json'), 'utf8'));
    expect(report.failures.tests).toMatchObject([
      { error: expect.stringMatching(/: AssertionError: assert 'event: done' in \['data: 0', .*'event: error'\]$/) },
    ]);
  },
  120_000,
);

const STREAM_TEST = `
def test_streams(account):
    lines = [f"data: {n}" for n in range(9)] + ["event: error"]
    assert "event: done" in lines
`;
