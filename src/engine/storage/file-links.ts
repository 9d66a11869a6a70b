import { constants, linkSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { nextTurn } from '../../base/clock/real-globals.ts';
import { asDiskError, systemCode } from '../../base/errors.ts';

const TURN = 100;

/** Errors of a disk that cannot link a file, or this file. */
const NO_LINKS = ['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES'];

export interface FileLink {
  from: string;
  to: string;
}

/**
 * Gives files a second name, so that each name can be removed on its own. Copies where the disk has no links. Missing
 * files are skipped, and existing names stay. Throws `storage_full`.
 */
export async function linkFiles(links: readonly FileLink[]): Promise<void> {
  for (let at = 0; at < links.length; at += TURN) {
    if (at > 0) await nextTurn();
    for (const link of links.slice(at, at + TURN)) {
      if (!linkNow(link)) await copy(link);
    }
  }
}

/** Returns false if a copy is needed. */
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
