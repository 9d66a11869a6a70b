import path from 'node:path';
import type { Command } from 'commander';
import { counted } from '../../base/counted.ts';
import type { SearchProgress } from '../../check/app/explore-report.ts';
import type { RunProgress } from '../progress-bar.ts';

/** How far a search is, in words. */
export function showSearch(progress: RunProgress, { run, total, findings, elapsedMs }: SearchProgress): void {
  const share = total === 0 ? 1 : run / total;
  progress.show(share, `${counted(run, 'scenario')}, ${counted(findings, 'finding')}`, { elapsedMs });
}

const NAME = 'svc-emulator';
const PACKAGE = ['npx', NAME];
/** The program named by its name alone in the line that npm runs, a script's or npx's. */
const BY_NAME = /(?:^|[\s;&|("'])svc-emulator(?=["'\s]|$)/;

/** The parts of a process that show how it was started. */
type Started = Pick<NodeJS.Process, 'argv0' | 'argv' | 'execArgv' | 'env'>;

/**
 * The words that start this program again in a shell of the same folder. `npx` where npm has found it, by itself or in a
 * script: no shell does; its name where it lies on the path; else Node and the file, as they were given.
 */
export function startedAs({ argv0, argv, execArgv, env }: Started, cwd: string): string[] {
  const [, file = ''] = argv;
  const folder = path.dirname(file);
  const isLink = path.basename(file) === NAME;
  if (isLink && (BY_NAME.test(env.npm_lifecycle_script ?? '') || isOfProject(folder, cwd))) return PACKAGE;
  if (isLink && (env.PATH ?? '').split(path.delimiter).includes(folder)) return [NAME];
  if (isLink) return [file];
  const near = path.relative(cwd, file);
  return [argv0, ...execArgv, near.startsWith('..') ? file : near];
}

/** Whether npx finds what lies there: in this folder's modules, or in those of a folder above it. */
function isOfProject(folder: string, cwd: string): boolean {
  const root = path.dirname(path.dirname(folder));
  if (folder !== path.join(root, 'node_modules', '.bin')) return false;
  return cwd === root || cwd.startsWith(root.endsWith(path.sep) ? root : root + path.sep);
}

/** The flags that a command line gave, as its words, but for some by name. */
export function flagsAgain(command: Command, without: readonly string[]): string[] {
  return command.options.flatMap((option) => {
    const name = option.attributeName();
    const flag = option.long;
    if (!flag || without.includes(name) || command.getOptionValueSource(name) !== 'cli') return [];
    const value: unknown = command.getOptionValue(name);
    if (typeof value === 'boolean') return value === option.negate ? [] : [flag];
    return [value].flat().flatMap((each) => [flag, String(each)]);
  });
}
