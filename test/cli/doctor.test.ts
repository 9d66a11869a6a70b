import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { hasNodeSqlite } from '../../src/base/database/open-sqlite.ts';
import { runCommand } from '../support/run-command.ts';
import { emptyFolder, fileOf } from './spawned-program.ts';

interface Report {
  ok: boolean;
  findings: { name: string; ok: boolean; detail: string }[];
}

async function examined(...flags: string[]) {
  const { exitCode, stdout, stderr } = await runCommand(['doctor', '--json', '--port', '0', ...flags]);
  expect(stderr).toBe('');
  const { ok, findings }: Report = JSON.parse(stdout);
  return { exitCode, ok, findings, ffmpeg: findings.find(({ name }) => name === 'ffmpeg') };
}

it('reports in doctor that everything is ready for a start [I151]', async () => {
  const line = ['doctor', '--port', '0', '--data-dir', path.join(emptyFolder(), 'new')];
  const { exitCode, stdout } = await runCommand(line);
  expect(exitCode).toBe(0);
  expect(stdout).toContain(process.version);
  const driver = hasNodeSqlite() ? 'node:sqlite' : 'better-sqlite3 \\d+\\.\\d+\\.\\d+';
  expect(stdout).toMatch(new RegExp(`^ok +SQLite +${driver}, SQLite \\d+\\.`, 'm'));
  expect(stdout).toMatch(/^ok +ffmpeg +ffmpeg version/m);
  expect(stdout).not.toContain('FAILED');
  expect(existsSync(':memory:')).toBe(false);
});

it('says why an ffmpeg cannot run, without a stack trace [I151]', async () => {
  const file = fileOf('ffmpeg', 'not a program');
  chmodSync(file, 0o755);
  const { exitCode, ok, findings } = await examined('--ephemeral', '--ffmpeg', file);
  const told = /cannot run: it was built for another platform than .*, or its file is damaged\. .*--ffmpeg/;
  const found = { name: 'ffmpeg', ok: false, detail: expect.stringMatching(told) };
  expect([exitCode, ok, findings.filter((each) => !each.ok)]).toEqual([1, false, [found]]);
  expect(JSON.stringify(findings)).not.toMatch(/\\n\s+at /);
});

it('doctor names the ffmpeg of a config file without running it, but runs the one of --ffmpeg [I151]', async () => {
  const folder = emptyFolder();
  const [ffmpeg, trace] = [path.join(folder, 'ffmpeg'), path.join(folder, 'was-run')];
  writeFileSync(ffmpeg, `#!/bin/sh\ntouch '${trace}'\necho ffmpeg version 7\n`, { mode: 0o755 });
  const config = path.join(folder, 'svc-emulator.json');
  writeFileSync(config, JSON.stringify({ ffmpeg }));
  const flags = ['--ephemeral', '--config', config];
  expect((await examined(...flags)).ffmpeg).toMatchObject({
    ok: true,
    detail: expect.stringContaining(`${ffmpeg}, as svc-emulator.json says; it was not run`),
  });
  expect(existsSync(trace)).toBe(false);
  const tried = await examined(...flags, '--ffmpeg', ffmpeg);
  expect(tried.ffmpeg).toMatchObject({ ok: true, detail: 'ffmpeg version 7' });
  expect(existsSync(trace)).toBe(true);
});
