import { VirtualClock } from '../clock/clock.ts';
import type { Config } from '../config/config.ts';
import type { Fresh } from '../drift/fresh-emulator.ts';
import { liveFaults } from '../faults/fault-store.ts';
import type { Context } from '../http/context.ts';
import type { AuthorityFiles, RunCertificate } from '../http/run-authority.ts';
import type { Component } from './lifecycle.ts';
import { WELL_KNOWN_KEY } from './seed.ts';

/**
 * Reads how a measured service differs, from the file that `--overlay` names. `start` starts a fresh emulator to compare
 * with. As everything in this file, it is loaded only where its option is given.
 */
export async function readOverlay(file: string, start: Fresh['start']) {
  const { readOverlay: read } = await import('../drift/overlay-file.ts');
  const { signal } = new AbortController();
  const asked = { clock: new VirtualClock(), name: 'svc-emulator-drift-overlay', signal };
  return read(file, { ...asked, start, key: WELL_KNOWN_KEY });
}

/** Throws `invalid_request` where the data folder has a fault rule whose lie changes what the overlay changes. */
export async function refuseLies({ database, lies }: Context): Promise<void> {
  const { requireNoOverlay } = await import('../control/lies.ts');
  for (const { match, effect } of liveFaults(database)) requireNoOverlay(lies, { match, effect });
}

/** The state that a world file declares. */
export interface World {
  /** Fills each newly seeded state. */
  fill(context: Context): Component;
  /** Makes what needs an emulator that listens. */
  open(): Promise<void>;
}

/** Reads the file that `--world` names. */
export async function readWorld(file: string): Promise<World> {
  const { DeclaredWorld } = await import('../world/world-file.ts');
  const { OwnWorld } = await import('../world/own-world.ts');
  const declared = await DeclaredWorld.read(file);
  let own: InstanceType<typeof OwnWorld> | undefined;
  return {
    fill: (context: Context) => {
      own = new OwnWorld(declared, context);
      return own;
    },
    open: async () => own?.open(),
  };
}

/** The certificate of this run, and the files by which clients trust it. */
export interface Secured {
  certificate: RunCertificate;
  files: AuthorityFiles;
}

/** Makes what `--https` serves with; `now` is the machine's time in milliseconds. */
export async function secured({ host }: Config, folder: string, now: number): Promise<Secured> {
  const { AuthorityFiles: Files, makeRunCertificate } = await import('../http/run-authority.ts');
  const names = new Set([host, '127.0.0.1', '::1', 'localhost', 'host.docker.internal']);
  const certificate = makeRunCertificate([...names], now);
  return { certificate, files: new Files(folder, certificate) };
}
