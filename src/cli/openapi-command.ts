import { type Command, Option } from 'commander';
import { inVersion, OPENAPI_VERSIONS } from '../openapi/older-document.ts';
import { print, type RemoteFlags, remoteCommand } from './remote.ts';

interface OpenapiFlags extends RemoteFlags {
  control?: boolean;
  as: (typeof OPENAPI_VERSIONS)[number];
}

/** `svc-emulator openapi`: the OpenAPI document of the service, or of the control surface; no emulator needs to run. */
export function openapiCommand(): Command {
  return remoteCommand('openapi', 'print the OpenAPI document of the service')
    .option('--control', 'that of the control surface instead')
    .addOption(
      new Option('--as <version>', 'for generators that read nothing newer').choices(OPENAPI_VERSIONS).default('3.1'),
    )
    .action(async (flags: OpenapiFlags) => {
      const { EmulatorDocuments } = await import('../openapi/emulator-documents.ts');
      const documents = new EmulatorDocuments();
      print({ json: true }, inVersion(flags.control ? await documents.control() : documents.service(), flags.as));
    });
}
