import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { describeBlockedPort } from '../../src/service/http/blocked-ports.ts';
import { isFree } from '../support/free-port.ts';
import { runCommand } from '../support/run-command.ts';
import { startProgram } from './spawned-program.ts';

/** The blocked ports of undici, which implements `fetch` in Node. */
const { badPorts }: { badPorts: string[] } = createRequire(import.meta.url)('undici/lib/web/fetch/constants.js');
const LINE = /Browsers and fetch refuse every request to port (\d+), .* Choose another port with --port\./;

/** A port that browsers refuse and that no program of this machine uses. */
async function freeBlockedPort(): Promise<number> {
  for (const port of [6000, 10_080, 5060, 5061, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 4190, 4045]) {
    if (await isFree(port)) return port;
  }
  throw new Error('Every port that browsers refuse is in use.');
}

it('recognizes exactly the ports that fetch blocks', () => {
  const blocked = Array.from({ length: 65_536 }, (_, port) => port).filter(
    (port) => describeBlockedPort(port) !== undefined,
  );
  expect(blocked.map(String)).toEqual([...badPorts]);
});

it('fails in doctor for a port that browsers block, but starts on that port, and names it in a warning', async () => {
  const port = await freeBlockedPort();
  const { exitCode, stdout } = await runCommand(['doctor', '--ephemeral', '--port', `${port}`]);
  expect([exitCode, stdout]).toEqual([1, expect.stringMatching(new RegExp(`^FAILED +port +${LINE.source}`, 'm'))]);
  const { program, url } = await startProgram(['--ephemeral', '--port', `${port}`]);
  expect(url).toBe(`http://127.0.0.1:${port}`);
  await expect(fetch(url)).rejects.toThrow('fetch failed');
  expect(await program.heard('stderr', (text) => LINE.exec(text)?.[1])).toBe(`${port}`);
});
