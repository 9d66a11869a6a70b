import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Command, Option } from 'commander';
import { packageFolder } from '../base/package/package-folder.ts';
import { OPENAPI_VERSIONS } from '../control/openapi/json-schema.ts';
import { addFlags, wholeNumber } from './config-flags.ts';
import { type RemoteFlags, remoteCommand } from './remote.ts';
import type { RenderFlags } from './render-placeholder.ts';
import { OUT, writeOut } from './report-files.ts';

interface OpenapiFlags extends RemoteFlags {
  control?: boolean;
  out?: string;
  as: (typeof OPENAPI_VERSIONS)[number];
}

/** `svc-emulator openapi`: the OpenAPI document of the service, or of the control surface; no emulator needs to run. */
export function openapiCommand(): Command {
  return remoteCommand('openapi', 'print the OpenAPI document of the service')
    .option('--control', 'that of the control surface instead')
    .addOption(
      new Option('--as <version>', 'for generators that read nothing newer').choices(OPENAPI_VERSIONS).default('3.1'),
    )
    .option(...OUT)
    .action(async (flags: OpenapiFlags) => {
      const { readCatalogue } = await import('../engine/catalogue/catalogue.ts');
      const { EmulatorDocuments } = await import('../control/openapi/openapi-document.ts');
      const documents = new EmulatorDocuments(readCatalogue());
      const document = flags.control ? await documents.control(flags.as) : documents.service(flags.as);
      writeOut(flags.out, `${JSON.stringify(document, null, 2)}\n`);
    });
}

/** `svc-emulator python-client`: the pytest plugin, to be put next to the tests that use it. */
export function pythonClientCommand(): Command {
  const about = 'print the pytest plugin: svc-emulator python-client --out svc_emulator.py';
  const file = path.join(packageFolder(), 'src/client/python/svc_emulator.py');
  return new Command('python-client')
    .description(about)
    .option(...OUT)
    .action(({ out }: { out?: string }) => writeOut(out, readFileSync(file, 'utf8')));
}

/** `svc-emulator render PROMPT`: a placeholder into a file, as the service would render it; no emulator needs to run. */
export function renderCommand(): Command {
  const number = wholeNumber('from 0 to 4294967295', 4_294_967_295);
  const command = new Command('render')
    .description('render a placeholder into a file, as the service would; no emulator needs to run')
    .argument('<prompt>', 'what to show, to say or to sing of')
    .addOption(
      new Option('--kind <kind>', 'what to render').choices(['image', 'video', 'speech', 'music']).default('image'),
    )
    .option('--model <id>', 'a model or engine of that kind')
    .option('--seconds <n>', 'the length of a clip, or of a song (30 to 240 in steps of 30)', number)
    .addOption(new Option('--voice <name>', 'who speaks').choices(['aria', 'orion']))
    .option('--seed <n>', 'another one renders another picture, clip or song', number)
    .option('--out <file>', 'where to write it, - for standard output (default: named after the prompt)')
    .option('--explain', 'print as JSON what is understood of the prompt');
  return addFlags(command, ['ffmpeg', 'fixtures']).action(render);
}

async function render(prompt: string, flags: RenderFlags): Promise<void> {
  const { renderPlaceholder } = await import('./render-placeholder.ts');
  return renderPlaceholder(prompt, flags);
}
