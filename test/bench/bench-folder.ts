import { mkdirSync, mkdtempSync } from 'node:fs';
import path from 'node:path';

const PARENT = path.resolve('node_modules/.cache/bench');

/**
 * A new folder beside the project, where a data folder lies by default; whoever takes it removes it. In the system's
 * temporary folder much may have been deleted a moment ago, for which some file systems take longer over new files.
 */
export function benchFolder(): string {
  mkdirSync(PARENT, { recursive: true });
  return mkdtempSync(path.join(PARENT, 'run-'));
}
