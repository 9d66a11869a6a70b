import { constants, linkSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { nextTurn } from '../../base/clock/real-globals.ts';
import { asDiskError, systemCode } from '../../base/errors.ts';

/** How many files are linked in one turn of the event loop. */
const TURN = 100;

/** What a disk answers that knows no second name for a file, or for this one. */
const NO_LINKS = ['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES'];

export interface FileLink {
  from: string;
  to: string;
}

/**
 * Gives files a second name, so that neither the bytes nor the life of one depends on the other; where the disk knows
 * no links they are copied. What is not there is left out, and what already has its name stays.
 * Throws `storage_full`.
 */
export async function linkFiles(links: readonly FileLink[]): Promise<void> {
  for (let at = 0; at < links.length; at += TURN) {
    if (at > 0) await nextTurn();
    for (const link of links.slice(at, at + TURN)) {
      if (!linkNow(link)) await copy(link);
    }
  }
}

/** Returns false where a copy is needed. */
function linkNow({ from, to }: FileLink): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (['EEXIST', 'ENOENT'].includes(code)) return true;
    if (NO_LINKS.includes(code)) return false;
    throw asDiskError(error);
  }
}

async function copy({ from, to }: FileLink): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  } catch (error) {
    if (!['EEXIST', 'ENOENT'].includes(systemCode(error) ?? '')) throw asDiskError(error);
  }
}
