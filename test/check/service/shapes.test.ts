import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { runCommand } from '../../support/run-command.ts';
import { world } from '../../support/world.ts';
import { FREE_PATCHES } from './planted.ts';
import { drift, readReport, TwistedService } from './stand-in.ts';

const folder = emptyFolder();
const standIn = await world();
const inFolder = (name: string) => path.join(folder, name);

it('checks the emulator against shapes that were measured before, without a network', async () => {
  const { key } = await standIn.account();
  const { patch, found: line } = FREE_PATCHES[2] ?? expect.unreachable();
  const proxy = await TwistedService.start(standIn.url, patch);
  await drift(folder, { url: proxy.url, key }, ['--shapes', inFolder('shapes.json')]);
  const args = ['drift', '--check', inFolder('shapes.json'), '--report', inFolder('check.json')];
  const { exitCode, stderr } = await runCommand(args);
  const { found, report } = readReport(inFolder('check.json'));
  expect([exitCode, stderr, found]).toEqual([1, '', [line]]);
  expect(report.measured).toMatchObject({ requests: 0, credits: 0, balance_before: null });
});

it('warns of shapes that are older than 60 days', async () => {
  const shapes = JSON.parse(readFileSync(inFolder('shapes.json'), 'utf8'));
  writeFileSync(inFolder('old.json'), JSON.stringify({ ...shapes, measured: '2026-01-01T00:00:00.000Z' }));
  const { exitCode, stderr } = await runCommand(['drift', '--check', inFolder('old.json')]);
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/measured \d+ days ago; the service may have changed/)]);
});

it.each([
  ['a file that does not exist', ['--check', 'none.json'], /--check is none\.json, which cannot be read/],
  ['no shapes', ['--check', 'none.txt'], /it is no file of shapes/],
  ['nothing to compare with', [], /one of --against URL, --check FILE and --from FILE/],
  ['a budget for a check', ['--check', 'shapes.json', '--budget', '5'], /are for --against URL/],
  [
    'http beyond this machine',
    ['--against', 'http://api.example.com'],
    /--against is http:\/\/api\.example\.com; expected an https URL, or http on this machine/,
  ],
  [
    'a user in the address',
    ['--against', 'https://me:secret@api.example.com'],
    /--against is https:\/\/api\.example\.com with a user; leave that out/,
  ],
  ['no key', ['--against', 'https://api.example.com'], /by --key-env NAME or by --key-file FILE/],
  [
    'an empty variable',
    ['--against', 'https://api.example.com', '--key-env', 'NONE'],
    /no API key in the variable NONE/,
  ],
  ['a budget below 0', ['--against', 'https://api.example.com', '--budget', '-1'], /0 or more/],
])('refuses %s with 2, and sends nothing', async (_what, flags, message) => {
  writeFileSync(inFolder('none.txt'), '{}');
  const { exitCode, stderr } = await runCommand(['drift', ...flags], {}, folder);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
  expect(stderr).not.toContain('secret');
});
