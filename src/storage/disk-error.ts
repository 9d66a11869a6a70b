import { storageFull } from '../database/connection.ts';

const DISK_CODES = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM']);

/** A disk that takes no more becomes `storage_full`, which says so; anything else stays what it is. */
export function asDiskError(error: unknown): unknown {
  return DISK_CODES.has(systemCode(error) ?? '') ? storageFull(error) : error;
}

/** `ENOENT` and the like; undefined for what the system did not say. */
export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
