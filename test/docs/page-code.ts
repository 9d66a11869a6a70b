/** A fenced block of a Markdown page: its language, and its content without the last newline. */
interface Block {
  language: string;
  code: string;
}

/** A command that ends. It waits until the other terminal shows `awaits`, and prints `output` or the JSON `json`. */
export interface RunStep {
  does: 'run';
  command: string;
  awaits: string | undefined;
  output?: string;
  json?: unknown;
}

export type Step = { does: 'write'; file: string; code: string } | { does: 'leave running'; command: string } | RunStep;

/** Commands that are skipped: an installation, or the start of an emulator. */
const SET_UP = /\bnpm (?:ci|install|i)\b|^npx svc-emulator (?:start|demo)$/;
const FENCE = /^```(\w*)\n([\s\S]*?)^```$/gm;
const FILE = /^\/\/ ([\w-]+\.mjs)\n/;
const OTHER_TERMINAL = /^# in a third terminal\b/;
const AWAITED = /^# once the third terminal shows "(.+)"\n/;

/**
 * The steps of a page in order, without its set-up lines. A `js` block is a file, named by its first line. A `sh` block is
 * a command, and a `text` or `json` block is its output. Throws for any other block, so that none is skipped unnoticed.
 */
export function pageSteps(markdown: string): Step[] {
  const steps: Step[] = [];
  for (const block of blocksOf(markdown)) {
    if (block.language === 'sh' && SET_UP.test(block.code)) continue;
    if (block.language === 'text' || block.language === 'json') expectOutput(steps.at(-1), block);
    else steps.push(stepOf(block));
  }
  return steps;
}

/** The blocks of a page that begin with a file name, by that name. `language` selects those of one language. */
export function namedBlocks(page: string, language = '\\w+'): Record<string, string> {
  const blocks = page.matchAll(
    new RegExp(`^\`\`\`(?:${language})\n((?://|#) ([\\w/.-]+\\.\\w+)\n[\\s\\S]*?)^\`\`\`$`, 'gm'),
  );
  return Object.fromEntries([...blocks].map(([, code = '', name = '']) => [name, code]));
}

/** The second column of the table under `heading`, as numbers. */
export function tableNumbers(markdown: string, heading: string): number[] {
  const [, section = ''] = markdown.split(`\n${heading}\n`);
  return [...section.matchAll(/^\| .+ \| (\d+) \|$/gm)].map(([, amount]) => Number(amount));
}

function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(FENCE)].map(([, language = '', code = '']) => ({
    language,
    code: code.trimEnd(),
  }));
}

function stepOf({ language, code }: Block): Step {
  const file = FILE.exec(code)?.[1];
  if (language === 'js' && file) return { does: 'write', file, code: `${code}\n` };
  if (language !== 'sh') throw new Error(`A ${language} block that no reader can run: ${code}`);
  if (OTHER_TERMINAL.test(code)) return { does: 'leave running', command: code };
  return { does: 'run', command: code, awaits: AWAITED.exec(code)?.[1] };
}

function expectOutput(step: Step | undefined, { language, code }: Block): void {
  if (step?.does !== 'run') throw new Error(`Output without a command before it: ${code}`);
  if (language === 'json') step.json = JSON.parse(code);
  else step.output = `${code}\n`;
}
