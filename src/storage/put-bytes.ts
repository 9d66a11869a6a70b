import { rm, writeFile } from 'node:fs/promises';
import { asDiskError } from './disk-error.ts';
import type { Files, Hold } from './files.ts';

/** Writes bytes under their SHA-256, unless they are there already. Throws `storage_full`. Follow it as `place`. */
export async function putBytes(
  files: Files,
  hold: Hold,
  { bytes, sha256 }: { bytes: Buffer; sha256: string },
): Promise<void> {
  if (hold.find(sha256)) return;
  const scratch = files.orderedPath();
  try {
    await writeFile(scratch, bytes);
  } catch (error) {
    await rm(scratch, { force: true });
    throw asDiskError(error);
  }
  await hold.place(scratch, sha256);
}
