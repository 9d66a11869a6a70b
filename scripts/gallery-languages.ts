import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../src/base/package/package-folder.ts';
import { escapeXml } from '../src/client/runners/junit.ts';
import { renderSvgToPng } from '../src/media/picture/render-svg.ts';
import { paintScene } from '../src/media/scene/paint-scene.ts';
import { loadSceneAssets, transformSvgToView } from '../src/media/scene/painter.ts';
import type { PromptInterpretation } from '../src/media/scene/prompt-reading.ts';
import { planScene } from '../src/media/scene/scene-plan.ts';

/**
 * `npm run gallery -- --languages` paints the same twenty prompts in every language, one row for each prompt. All pictures
 * of a row should show the same. A picture has a frame if its prompt is read differently than in English.
 */
const SIDE = 192;
const folder = join(packageFolder(), 'gallery');
mkdirSync(folder, { recursive: true });
const kit = loadSceneAssets();
const prompts = readPrompts();
const english = prompts.get('en') ?? [];
const languages = [...prompts.keys()];

writeFileSync(join(folder, 'languages.html'), await html());
const others = languages.flatMap((language) => english.flatMap((_, row) => differences(language, row)));
console.log(others.join('\n'));
console.log(`${others.length} of ${languages.length * english.length} prompts are read otherwise than in English`);
console.log(join(folder, 'languages.html'));

/** The prompts of each language. In the file, they follow a line `== language`. */
function readPrompts(): Map<string, string[]> {
  const text = readFileSync(join(packageFolder(), 'scripts/gallery-prompts.txt'), 'utf8');
  const parts = text.split(/^== /m).slice(1);
  return new Map(
    parts.map((part) => {
      const [language = '', ...lines] = part.trim().split('\n');
      return [language, lines];
    }),
  );
}

function promptAt(language: string, row: number): string {
  return prompts.get(language)?.[row] ?? '';
}

async function paint(prompt: string, seed: number): Promise<string> {
  const plan = planScene(kit, { prompt, seed, strength: 1 });
  const { painter } = paintScene(kit, plan, { spread: 0.5, reach: 0.5, floor: 0.84 });
  const content = transformSvgToView(painter.drawn, { scale: SIDE, x: SIDE / 2, y: 0 });
  const png = await renderSvgToPng({ width: SIDE, height: SIDE }, content);
  return `data:image/png;base64,${png.toString('base64')}`;
}

/** A line with both readings, or nothing if the prompt is read as in English. */
function differences(language: string, row: number): string[] {
  const prompt = promptAt(language, row);
  const [told, expected] = [prompt, english[row] ?? ''].map((each) => senseOf(kit.lexicon.read(each)));
  return told === expected ? [] : [`${language}: ${prompt}: ${told}, in English ${expected}`];
}

function senseOf({ subjects, grounds, times, weather, seasons, negated }: PromptInterpretation): string {
  const named = subjects.map(({ count, colour, concept }) => [count, colour, concept].filter(Boolean).join(' '));
  const missing = negated.map((name) => `no ${name}`);
  return [...named.toSorted(), grounds[0], times[0], weather[0], seasons[0], ...missing].filter(Boolean).join(', ');
}

async function html(): Promise<string> {
  const head = languages.map((language) => `<th>${language}</th>`).join('');
  const rows: string[] = [];
  for (const row of english.keys()) {
    const cells = await Promise.all(languages.map((language) => cell(language, row)));
    rows.push(`<tr>${cells.join('')}</tr>`);
  }
  return `<!doctype html><meta charset="utf-8"><title>Languages</title>
<style>
body { font: 11px system-ui, sans-serif; margin: 1rem; background: #f6f7f9; color: #1c1f26 }
table { border-collapse: separate; border-spacing: 4px }
td { width: ${SIDE / 2}px; vertical-align: top; padding: 2px; border: 2px solid transparent }
td.other { border-color: #e03131 }
img { display: block; width: ${SIDE / 2}px }
</style>
<table><tr>${head}</tr>${rows.join('\n')}</table>
`;
}

async function cell(language: string, row: number): Promise<string> {
  const prompt = escapeXml(promptAt(language, row));
  const [told = ''] = differences(language, row);
  const picture = await paint(promptAt(language, row), row + 1);
  return `<td${told && ' class="other"'} title="${escapeXml(told)}"><img src="${picture}" alt=""><span dir="auto">${prompt}</span></td>`;
}
