import type { Config } from '../base/config/config.ts';
import type { Component } from '../lifecycle.ts';
import type { Context } from '../service/http/context.ts';
import type { AuthorityFiles, RunCertificate } from '../service/http/run-authority.ts';

/** The state that a world file declares. As everything in this file, it is loaded only where its option is given. */
export interface World {
  /** Fills each newly seeded state. */
  fill(context: Context): Component;
  /** Makes what needs an emulator that listens. */
  open(): Promise<void>;
}

/** Reads the file that `--world` names. */
export async function readWorld(file: string): Promise<World> {
  const { DeclaredWorld } = await import('./world/world-file.ts');
  const { OwnWorld } = await import('./world/own-world.ts');
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
  const { AuthorityFiles: Files, makeRunCertificate } = await import('../service/http/run-authority.ts');
  const names = new Set([host, '127.0.0.1', '::1', 'localhost', 'host.docker.internal']);
  const certificate = makeRunCertificate([...names], now);
  return { certificate, files: new Files(folder, certificate) };
}
