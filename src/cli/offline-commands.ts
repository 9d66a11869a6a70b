import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Command, Option } from 'commander';
import { packageFolder } from '../base/package/package-folder.ts';
import { OPENAPI_VERSIONS } from '../control/openapi/json-schema.ts';
import { addFlags, wholeNumber } from './config-flags.ts';
import type { RenderFlags } from './render-placeholder.ts';
import { OUT, writeOut } from './report-files.ts';

interface OpenapiFlags {
  control?: boolean;
  out?: string;
  as: (typeof OPENAPI_VERSIONS)[number];
}

export function openapiCommand(): Command {
  return new Command('openapi')
    .description('print the OpenAPI document of the service')
    .option('--control', 'print the document of the control operations instead')
    .addOption(
      new Option('--as <version>', 'write the document in this version of OpenAPI')
        .choices(OPENAPI_VERSIONS)
        .default('3.1'),
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

export function pythonClientCommand(): Command {
  const about = 'print the pytest plugin, to save next to your tests';
  const file = path.join(packageFolder(), 'src/client/python/svc_emulator.py');
  return new Command('python-client')
    .description(about)
    .option(...OUT)
    .action(({ out }: { out?: string }) => writeOut(out, readFileSync(file, 'utf8')));
}

export function renderCommand(): Command {
  const number = wholeNumber('from 0 to 4294967295', 4_294_967_295);
  const command = new Command('render')
    .description('render a placeholder image, clip, speech or song to a file')
    .argument('<prompt>', 'the text to render')
    .addOption(
      new Option('--kind <kind>', 'choose what to render')
        .choices(['image', 'video', 'speech', 'music'])
        .default('image'),
    )
    .option('--model <id>', 'use this model or engine')
    .option('--seconds <n>', 'set the length of a clip or song (songs: 30 to 240 in steps of 30)', number)
    .addOption(new Option('--voice <name>', 'choose the voice').choices(['aria', 'orion']))
    .option('--seed <n>', 'render another image, clip or song for the same prompt', number)
    .option(
      '--out <file>',
      'write to this file, or to standard output if it is "-" (default: a file named after the prompt)',
    )
    .option('--explain', 'print how the prompt is understood, as JSON');
  return addFlags(command, ['ffmpeg', 'fixtures']).action(render);
}

async function render(prompt: string, flags: RenderFlags): Promise<void> {
  const { renderPlaceholder } = await import('./render-placeholder.ts');
  return renderPlaceholder(prompt, flags);
}
