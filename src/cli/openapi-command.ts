import type { Command } from 'commander';
import { print, type RemoteFlags, remoteCommand, withEmulator } from './remote.ts';

interface OpenapiFlags extends RemoteFlags {
  control?: boolean;
}

/** `svc-emulator openapi`: the OpenAPI document of the service, or of the control surface. */
export function openapiCommand(): Command {
  return remoteCommand('openapi', 'print the OpenAPI 3.1 document of the service')
    .option('--control', 'that of the control surface instead')
    .action(async (flags: OpenapiFlags) => {
      const document = await withEmulator(flags, (control) =>
        flags.control ? control.get('/openapi.json') : control.getBeside('/openapi.json'),
      );
      print({ json: true }, document);
    });
}
