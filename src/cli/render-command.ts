import { Command, InvalidArgumentError, Option } from 'commander';
import { addFlags } from './config-flags.ts';
import type { RenderFlags } from './render-placeholder.ts';

/** `svc-emulator render PROMPT`: a placeholder into a file, as the service would render it; no emulator needs to run. */
export function renderCommand(): Command {
  const command = new Command('render')
    .description('render a placeholder into a file, as the service would; no emulator needs to run')
    .argument('<prompt>', 'what to show, to say or to sing of')
    .addOption(
      new Option('--kind <kind>', 'what to render').choices(['image', 'video', 'speech', 'music']).default('image'),
    )
    .option('--model <id>', 'a model or engine of that kind')
    .option('--seconds <n>', 'the length of a clip, or of a song (30 to 240 in steps of 30)', wholeNumber)
    .addOption(new Option('--voice <name>', 'who speaks').choices(['aria', 'orion']))
    .option('--seed <n>', 'another one renders another picture, clip or song', wholeNumber)
    .option('--out <file>', 'where to write it, - for standard output (default: named after the prompt)')
    .option('--explain', 'print as JSON what is understood of the prompt');
  return addFlags(command, ['ffmpeg', 'fixtures']).action(render);
}

async function render(prompt: string, flags: RenderFlags): Promise<void> {
  const { renderPlaceholder } = await import('./render-placeholder.ts');
  return renderPlaceholder(prompt, flags);
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 4_294_967_295) {
    throw new InvalidArgumentError('It must be a whole number from 0 to 4294967295.');
  }
  return value;
}
