import type { Command } from 'commander';
import { print, type RemoteFlags, remoteCommand } from './remote.ts';

interface OpenapiFlags extends RemoteFlags {
  control?: boolean;
}

/** `svc-emulator openapi`: the OpenAPI document of the service, or of the control surface; no emulator needs to run. */
export function openapiCommand(): Command {
  return remoteCommand('openapi', 'print the OpenAPI 3.1 document of the service')
    .option('--control', 'that of the control surface instead')
    .action(async (flags: OpenapiFlags) => {
      const { EmulatorDocuments } = await import('../openapi/emulator-documents.ts');
      const documents = new EmulatorDocuments();
      print({ json: true }, flags.control ? documents.control() : documents.service());
    });
}
