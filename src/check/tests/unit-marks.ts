import { createHash } from 'node:crypto';
import { readPlainFile } from '../../base/config/plain-file.ts';
import type { Unit } from './plan.ts';
import type { UnitMarks } from './report-schema.ts';

/**
 * The marks of a unit; undefined without a file, where a deleted assertion cannot be seen, and where its requests differ by
 * themselves.
 */
export function marksOf({ seen, file }: Pick<Unit, 'seen' | 'file'>): UnitMarks | undefined {
  const content = file === undefined ? undefined : contentOf(file);
  if (content === undefined || new Set(seen).size !== 1) return undefined;
  return { requests: hashOf(seen[0] ?? ''), file: hashOf(content) };
}

/** A test file; undefined where it cannot be read. */
export function contentOf(file: string): string | undefined {
  try {
    return readPlainFile(file);
  } catch {
    return undefined;
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
