import { type ConfigOptions, mutationUrl, readConfig } from '../base/config/config.ts';
import { optionNamed } from '../base/config/config-file.ts';
import { refuseOldNode } from '../base/package/package-folder.ts';
import { EmulatorClient } from './emulator-client.ts';

const running = new Set<LocalEmulator>();

function closeAll(): void {
  for (const emulator of running) void emulator.close();
}

/** An emulator in this process. */
export class LocalEmulator extends EmulatorClient implements AsyncDisposable {
  readonly #close: () => Promise<void>;
  #closed: Promise<void> | undefined;

  constructor(emulator: {
    url: string;
    controlToken: string | undefined;
    hold(isHeld: boolean): void;
    close(): Promise<void>;
  }) {
    super(emulator.url, emulator.controlToken);
    this.#close = () => emulator.close();
    emulator.hold(false);
    if (running.size === 0) process.on('beforeExit', closeAll);
    running.add(this);
  }

  /** Finishes or interrupts open work, and releases port and folder. May be called again. */
  close(): Promise<void> {
    running.delete(this);
    if (running.size === 0) process.off('beforeExit', closeAll);
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** For `await using emulator = await startEmulator()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Starts an emulator in this process, on a free port, silent, and without stored data unless `dataDir` is given. It
 * does not keep the process alive. The options are those of the command line; the environment is not read. Throws
 * `ConfigError`, `NativeModuleMissing` or `PortInUse`.
 */
export async function startEmulator(options: ConfigOptions = {}): Promise<LocalEmulator> {
  for (const name of Object.keys(options)) if (name !== 'config') optionNamed(name, 'startEmulator');
  refuseOldNode();
  const usual = { port: 0, ephemeral: options.dataDir === undefined, log: 'silent', warm: false } as const;
  const { startEmulator: start } = await import('../emulator.ts');
  const url = mutationUrl();
  const emulator = await start(readConfig({ ...usual, ...options }, {}));
  if (url === undefined) return new LocalEmulator(emulator);
  const { joinCheck } = await import('./violation-relay.ts');
  const report = await joinCheck({ ...emulator, url });
  return new LocalEmulator({ ...emulator, close: () => report().then(emulator.close) });
}

/** `controlToken` is required only beyond loopback. */
export function connectEmulator(url: string, options: { controlToken?: string } = {}): EmulatorClient {
  return new EmulatorClient(url, options.controlToken);
}
