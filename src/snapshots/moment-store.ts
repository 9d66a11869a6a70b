import { openSqlite } from '../database/open-sqlite.ts';

/** Pages that are copied in one go. */
const PAGES = 4096;

/**
 * Copies what a database holds at one moment, to a file without a log beside it and without what was deleted: a reader
 * that has begun sees one moment, however long it reads. It begins when `word` resolves, and calls what that gave once
 * later writes are none of its own.
 */
export async function copyMoment(source: string, target: string, word: () => Promise<() => void>): Promise<void> {
  const sqlite = openSqlite(source, { readonly: true, fileMustExist: true });
  try {
    const started = await word();
    if (!sqlite.backup) {
      sqlite.prepare('VACUUM INTO ?').run(target);
      started();
      return;
    }
    sqlite.exec('BEGIN');
    sqlite.prepare('SELECT COUNT(*) FROM settings').get();
    started();
    await sqlite.backup(target, { progress: () => PAGES });
  } finally {
    sqlite.close();
  }
  tidy(target);
}

/** A lie ends with the state in which it was made; what it has made stays. */
const END_LIES = "DELETE FROM faults WHERE effect ->> '$.lie' IS NOT NULL OR effect ->> '$.liberty' IS NOT NULL";

/** Leaves the lies that were made by hand out of a copy. */
export function endLies(file: string): void {
  const sqlite = openSqlite(file);
  try {
    sqlite.exec(END_LIES);
  } finally {
    sqlite.close();
  }
}

function tidy(file: string): void {
  const sqlite = openSqlite(file);
  try {
    sqlite.exec('PRAGMA journal_mode = DELETE');
    sqlite.exec(END_LIES);
    const free = sqlite.prepare('PRAGMA freelist_count').get() as { freelist_count: number };
    if (free.freelist_count !== 0) sqlite.exec('VACUUM');
  } finally {
    sqlite.close();
  }
}
