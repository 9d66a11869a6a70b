import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { against, atMost, type BenchRow, medians } from './bench-row.ts';
import { withFolder } from './bench-server.ts';
import { journalBench } from './journal-bench.ts';

const ROUNDS = 9;
const MEBIBYTE = 1_048_576;

/** Listens, is asked nothing, and ends. */
const BARE_EXPRESS = `
  const server = require('express')().listen(0, '127.0.0.1', () => server.close());`;

/** What an integrator waits for and downloads, and the record of all requests. */
export async function packageBench(): Promise<BenchRow[]> {
  const { size, unpacked } = await packed();
  const installed = dependencies() + unpacked / MEBIBYTE;
  return [
    await execRow(),
    atMost('installed with production dependencies, MB', installed, 220, 0),
    atMost('the tarball, MB', size / MEBIBYTE, 12),
    ...(await journalBench()),
  ];
}

async function execRow(): Promise<BenchRow> {
  const ours = () => run(['dist/main.js', 'exec', '--quiet', '--', 'true']);
  const figures = await medians({ ours, theirs: () => run(['-e', BARE_EXPRESS]) }, ROUNDS);
  return against('exec -- true against a bare Express start', { ...figures, bar: '<= 3', unit: ' ms' });
}

function run(line: string[]): void {
  const { status } = spawnSync(process.execPath, line, { stdio: 'ignore' });
  if (status !== 0) throw new Error(`${line[0]} ended with ${status}.`);
}

/** MiB of the packages that a production install puts down, as they lie here. */
function dependencies(): number {
  const listed = spawnSync('npm', ['ls', '--omit=dev', '--all', '--parseable'], { encoding: 'utf8' });
  const folders = [...new Set(listed.stdout.trim().split('\n').slice(1))];
  const kilobytes = execFileSync('du', ['-skc', ...folders], { encoding: 'utf8' });
  return Number.parseInt(kilobytes.trim().split('\n').at(-1) ?? '', 10) / 1024;
}

/** Bytes of this package, packed and unpacked. */
function packed(): Promise<{ size: number; unpacked: number }> {
  return withFolder((folder) => {
    const line = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
    const report = execFileSync('npm', line, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const [{ unpackedSize }] = Object.values(JSON.parse(report)) as [{ unpackedSize: number }];
    const [tarball = ''] = readdirSync(folder);
    return { size: statSync(path.join(folder, tarball)).size, unpacked: unpackedSize };
  });
}
