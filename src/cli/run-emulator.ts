import type { Config } from '../config/config.ts';
import type { Host } from '../emulator.ts';
import { withProgress } from './progress-bar.ts';

/** What whoever supervises an emulator keeps for its next start. */
export interface Ready {
  port: number;
  controlToken: string | undefined;
}

/** Runs the emulator until `stop` resolves, and says in one line where it listens. */
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
  await stop;
  await emulator.close();
}
