import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { hasNodeSqlite, openSqlite } from '../../src/base/database/open-sqlite.ts';
import { takenPort } from '../support/free-port.ts';
import { runCommand } from '../support/run-command.ts';
import { emptyFolder, fileOf, folderOf, startProgram } from './spawned-program.ts';

const STACK = /^\s+at /m;

interface Report {
  ok: boolean;
  findings: { name: string; ok: boolean; detail: string }[];
}

async function examined(...flags: string[]) {
  const { exitCode, stdout, stderr } = await runCommand(['doctor', '--json', ...flags]);
  expect(stderr).toBe('');
  const report: Report = JSON.parse(stdout);
  return { exitCode, report, failed: report.findings.filter(({ ok }) => !ok) };
}

it('finds all that a start needs where it is there [I151]', async () => {
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

it('names a port that is in use, and how to choose another [I151]', async () => {
  const port = await takenPort();
  const { exitCode, failed } = await examined('--port', `${port}`, '--ephemeral');
  expect(exitCode).toBe(1);
  expect(failed).toEqual([{ name: 'port', ok: false, detail: expect.stringMatching(`Port ${port} .*--port`) }]);
});

it('names a data folder that belongs to another program, one in use, and one of a newer version [I151]', async () => {
  const foreign = folderOf({ 'letter.txt': 'Dear reader' });
  expect((await examined('--port', '0', '--data-dir', foreign)).failed).toMatchObject([
    { name: 'data folder', detail: expect.stringContaining('letter.txt') },
  ]);

  const used = emptyFolder();
  const { program } = await startProgram(['--data-dir', used]);
  expect((await examined('--port', '0', '--data-dir', used)).failed).toMatchObject([
    { name: 'data folder', detail: expect.stringContaining('in use by another svc-emulator') },
  ]);

  await program.stop();
  const database = openSqlite(path.join(used, 'emulator.db'));
  database.exec('PRAGMA user_version = 999');
  database.close();
  expect((await examined('--port', '0', '--data-dir', used)).failed).toMatchObject([
    { name: 'data folder', detail: expect.stringMatching(/version 999.*newer.*--data-dir/) },
  ]);
});

it('names an ffmpeg that cannot be run, without a stack [I151]', async () => {
  const file = fileOf('ffmpeg', 'not a program');
  const { failed } = await examined('--port', '0', '--ephemeral', '--ffmpeg', file);
  expect(failed).toMatchObject([{ name: 'ffmpeg', detail: expect.stringContaining('--ffmpeg') }]);
  expect(failed[0]?.detail).not.toMatch(STACK);
});

it('names the ffmpeg of a config file without running it, and runs it where a flag names it [I151]', async () => {
  const folder = emptyFolder();
  const [ffmpeg, trace] = [path.join(folder, 'ffmpeg'), path.join(folder, 'was-run')];
  writeFileSync(ffmpeg, `#!/bin/sh\ntouch '${trace}'\necho ffmpeg version 7\n`, { mode: 0o755 });
  const config = path.join(folder, 'svc-emulator.json');
  writeFileSync(config, JSON.stringify({ ffmpeg }));
  const flags = ['--port', '0', '--ephemeral', '--config', config];
  const named = (await examined(...flags)).report.findings.find(({ name }) => name === 'ffmpeg');
  expect(named).toMatchObject({
    ok: true,
    detail: expect.stringContaining(`${ffmpeg}, as svc-emulator.json says; it was not run`),
  });
  expect(existsSync(trace)).toBe(false);
  const tried = (await examined(...flags, '--ffmpeg', ffmpeg)).report.findings.find(({ name }) => name === 'ffmpeg');
  expect(tried).toMatchObject({ ok: true, detail: 'ffmpeg version 7' });
  expect(existsSync(trace)).toBe(true);
});
