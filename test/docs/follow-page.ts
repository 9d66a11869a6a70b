import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { namedBlocks, pageSteps, type RunStep } from './page-code.ts';
import type { ReaderFolder, Terminal } from './terminal.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

/** The folder and the ports for the commands of a page. The ports replace its 4600 and 4700. */
export interface Place {
  folder: ReaderFolder;
  emulatorUrl: string;
  receiverPort: number;
}

export function readPage(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

/** A `##` section of a page, with its heading. */
export function sectionOf(file: string, heading: string): string {
  const found = readPage(file)
    .split(/^(?=## )/m)
    .find((section) => section.startsWith(`${heading}\n`));
  if (found === undefined) throw new Error(`${file} has no section "${heading}".`);
  return found;
}

/** The files and the commands, in order, that the quick start shows for a language. */
export function shownFor(language: string): { files: Record<string, string>; commands: string[] } {
  const page = readPage('docs/quickstart.md');
  const [, section = ''] = new RegExp(`<summary>${language}[^<]*</summary>([\\s\\S]*?)</details>`).exec(page) ?? [];
  const files = namedBlocks(section);
  const scripts = [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  return { files, commands: scripts.filter((code) => !Object.values(files).includes(code)).map((code) => code.trim()) };
}

/**
 * Follows the steps of a page in order, and checks the documented output. Returns the terminal of a command that keeps
 * running, if there is one.
 */
export async function followPage(page: string, place: Place): Promise<Terminal | undefined> {
  const { folder } = place;
  let other: Terminal | undefined;
  for (const step of pageSteps(moved(page, place))) {
    if (step.does === 'write') writeFileSync(path.join(folder.path, step.file), step.code);
    if (step.does === 'run') await runStep(step, folder, other);
    if (step.does === 'leave running') {
      other = folder.open(step.command);
      await other.shows('ready');
    }
  }
  return other;
}

function moved(page: string, { emulatorUrl, receiverPort }: Place): string {
  const ports: Record<string, string> = {
    4600: new URL(emulatorUrl).port,
    4700: String(receiverPort),
  };
  return page.replace(/\b(?:4600|4700)\b/g, (port) => ports[port] ?? port);
}

async function runStep(step: RunStep, folder: ReaderFolder, other: Terminal | undefined) {
  if (step.awaits) await other?.shows(step.awaits);
  const printed = await folder.run(step.command);
  if (step.output !== undefined) expect(printed, step.command).toBe(step.output);
  if (step.json !== undefined) expect(JSON.parse(printed), step.command).toEqual(step.json);
}
