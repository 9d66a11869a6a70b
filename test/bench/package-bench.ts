import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BenchRow, median } from './bench-row.ts';
import { journalBench } from './journal-bench.ts';

const ROUNDS = 9;
const MEBIBYTE = 1_048_576;

/** Listens, is asked nothing, and ends. */
const BARE_EXPRESS = `
  const server = require('express')().listen(0, '127.0.0.1', () => server.close());`;

/** Starts and closes one after another in a warm process, and prints the median time until it listened. */
const WARM_STARTS = `
  import { startEmulator } from ${JSON.stringify(path.resolve('dist/index.js'))};
  const times = [];
  for (let round = 0; round < 25; round += 1) {
    const began = performance.now();
    const emulator = await startEmulator();
    times.push(performance.now() - began);
    await emulator.close();
  }
  console.log(times.slice(5).sort((a, b) => a - b)[10]);`;

/** What an integrator waits for and downloads, and the record of all requests. */
export async function packageBench(): Promise<BenchRow[]> {
  return [warmStart(), execRow(), installedSize(), tarballSize(), ...(await journalBench())];
}

function warmStart(): BenchRow {
  const line = ['--input-type=module', '-e', WARM_STARTS];
  const taken = Number(execFileSync(process.execPath, line, { encoding: 'utf8' }));
  return row('startEmulator() in a warm process to listening', taken, { limit: 60, unit: 'ms' });
}

function execRow(): BenchRow {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    ours.push(timeRun(['dist/main.js', 'exec', '--quiet', '--', 'true']));
    theirs.push(timeRun(['-e', BARE_EXPRESS]));
  }
  const [own, bare] = [median(ours.slice(1)), median(theirs.slice(1))];
  return {
    ...{ name: 'exec -- true against a bare Express start', bar: '<= 3', ratio: own / bare },
    ...{ ours: `${Math.round(own)} ms`, theirs: `${Math.round(bare)} ms` },
  };
}

function timeRun(line: string[]): number {
  const began = performance.now();
  const { status } = spawnSync(process.execPath, line, { stdio: 'ignore' });
  if (status !== 0) throw new Error(`${line[0]} ended with ${status}.`);
  return performance.now() - began;
}

/** The packages that a production install puts down, and this one, as they lie here. */
function installedSize(): BenchRow {
  const listed = spawnSync('npm', ['ls', '--omit=dev', '--all', '--parseable'], {
    encoding: 'utf8',
  });
  const folders = [...new Set(listed.stdout.trim().split('\n').slice(1))];
  const kilobytes = execFileSync('du', ['-skc', ...folders], { encoding: 'utf8' });
  const dependencies = Number.parseInt(kilobytes.trim().split('\n').at(-1) ?? '', 10) / 1024;
  const { unpacked } = packed();
  const size = dependencies + unpacked / MEBIBYTE;
  return row('installed with production dependencies', size, { limit: 220, unit: 'MB' });
}

function tarballSize(): BenchRow {
  return row('the tarball', packed().size / MEBIBYTE, { limit: 12, unit: 'MB' });
}

function packed(): { size: number; unpacked: number } {
  const folder = mkdtempSync(path.join(tmpdir(), 'package-bench-'));
  try {
    const line = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
    const told = execFileSync('npm', line, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [{ unpackedSize }] = Object.values(JSON.parse(told)) as [{ unpackedSize: number }];
    const [tarball = ''] = readdirSync(folder);
    return { size: statSync(path.join(folder, tarball)).size, unpacked: unpackedSize };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function row(name: string, value: number, { limit, unit }: { limit: number; unit: string }): BenchRow {
  const figure = value < 100 ? value.toFixed(1) : String(Math.round(value));
  return {
    name,
    ours: `${figure} ${unit}`,
    theirs: `${limit} ${unit}`,
    ratio: value / limit,
    bar: '<= 1',
  };
}
