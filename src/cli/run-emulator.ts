import { WELL_KNOWN_KEY } from '../assembly/seed.ts';
import type { Config } from '../config/config.ts';
import type { Host } from '../emulator.ts';
import { withProgress } from './progress-bar.ts';

/** What a supervisor keeps for the next start of its emulator. */
export interface Ready {
  port: number;
  controlToken: string | undefined;
}

/** Where one goes from here. */
function firstSteps(url: string): string {
  const rows = [
    ['dashboard', `${url}/`],
    ['base URL', `${url}/v1`],
    ['key', WELL_KNOWN_KEY],
    ['docs', `${url}/docs`],
  ];
  return rows.map(([name = '', value]) => `  ${name.padEnd(9)}  ${value}\n`).join('');
}

/** Runs the emulator until `stop` resolves, and says in one line where it listens; below it, on the other output, what is there. */
export async function runEmulator(
  config: Config,
  stop: Promise<void>,
  host: Host = {},
  onReady: (ready: Ready) => void = () => {},
): Promise<void> {
  const { startEmulator } = await import('../emulator.ts');
  const emulator = await withProgress('starting', () => startEmulator(config, host));
  const { url, controlToken } = emulator;
  onReady({ port: Number(new URL(url).port || 80), controlToken });
  if (controlToken && controlToken !== config.controlToken) {
    process.stdout.write(`control token: ${controlToken}\n`);
  }
  process.stdout.write(`svc-emulator ready on ${url}\n`);
  if (config.log === 'pretty') process.stderr.write(firstSteps(emulator.localUrl));
  await stop;
  await emulator.close();
}
