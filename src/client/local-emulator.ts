import { realProcess } from '../base/clock/real-globals.ts';
import { type ConfigOptions, readConfig, requireKnownOption } from '../base/config/config.ts';
import { requireSupportedRuntime } from '../base/package/package-folder.ts';
import { EmulatorClient } from './emulator-client.ts';

const running = new Map<LocalEmulator, () => void>();

function closeAll(): void {
  for (const emulator of running.keys()) void emulator.close();
}

function abandonAll(): void {
  for (const abandon of running.values()) abandon();
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Without another listener, a signal would end the process without the event `exit`, so this releases the data folders.
 * If there are other listeners, such as those of a test runner, they decide. This listener removes itself first,
 * because some runners end the process only if they are the only listener.
 */
function endedBy(signal: NodeJS.Signals): void {
  realProcess.off(signal, endedBy);
  if (realProcess.listenerCount(signal) > 0) return;
  abandonAll();
  realProcess.kill(realProcess.pid, signal);
}

function watchProcess(): void {
  process.on('beforeExit', closeAll);
  realProcess.on('exit', abandonAll);
  for (const signal of SIGNALS) realProcess.prependListener(signal, endedBy);
}

function unwatchProcess(): void {
  process.off('beforeExit', closeAll);
  realProcess.off('exit', abandonAll);
  for (const signal of SIGNALS) realProcess.off(signal, endedBy);
}

export class LocalEmulator extends EmulatorClient implements AsyncDisposable {
  readonly #close: () => Promise<void>;
  #closed: Promise<void> | undefined;

  constructor(emulator: {
    url: string;
    controlToken: string | undefined;
    hold(isHeld: boolean): void;
    abandon(): void;
    close(): Promise<void>;
  }) {
    super(emulator.url, emulator.controlToken);
    this.#close = () => emulator.close();
    emulator.hold(false);
    if (running.size === 0) watchProcess();
    running.set(this, () => emulator.abandon());
  }

  /** Finishes or interrupts open work, and releases port and folder. May be called again. */
  close(): Promise<void> {
    running.delete(this);
    if (running.size === 0) unwatchProcess();
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Starts an emulator in this process, on a free port, silent, and without stored data unless `dataDir` is given. It
 * does not keep the process alive. The options are those of the command line; the environment is not read. Rejects with an
 * error such as `ConfigError`, `NativeModuleError` or `PortInUse`.
 */
export async function startEmulator(options: ConfigOptions = {}): Promise<LocalEmulator> {
  for (const name of Object.keys(options)) if (name !== 'config') requireKnownOption(name, 'startEmulator');
  requireSupportedRuntime();
  const usual = { port: 0, ephemeral: options.dataDir === undefined, log: 'silent', warm: false } as const;
  const { startEmulator: start } = await import('../emulator.ts');
  return new LocalEmulator(await start(readConfig({ ...usual, ...options }, {})));
}

/** `controlToken` is required only if the emulator accepts connections from other machines. */
export function connectEmulator(url: string, options: { controlToken?: string } = {}): EmulatorClient {
  return new EmulatorClient(url, options.controlToken);
}
