import { type ConfigOptions, mutationUrl, readConfig } from '../base/config/config.ts';
import { optionNamed } from '../base/config/config-file.ts';
import { refuseOldNode } from '../base/package/package-folder.ts';
import { EmulatorClient } from './emulator-client.ts';

/** Those that nobody has closed. */
const running = new Set<LocalEmulator>();

function closeAll(): void {
  for (const emulator of running) void emulator.close();
}

/** An emulator that runs in this process, with all that can be done to it. */
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

  /** Finishes or puts off what runs, and lets its port and folder go. May be called again. */
  close(): Promise<void> {
    running.delete(this);
    if (running.size === 0) process.off('beforeExit', closeAll);
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** `await using emulator = await startEmulator()` closes it at the end of the block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Starts an emulator in this process: on a free port, silent, and keeping nothing unless `dataDir` is given.
 * A process that has nothing else to do closes it and ends. The options are those of the command line; the environment is not read. Throws `ConfigError` for one that cannot be used,
 * `NativeModuleMissing` or `PortInUse` with the remedy.
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

/** The same of one that runs already. `controlToken` is wanted beyond loopback only. */
export function connectEmulator(url: string, options: { controlToken?: string } = {}): EmulatorClient {
  return new EmulatorClient(url, options.controlToken);
}
