import { storageFull, systemCode } from '../errors.ts';

const DISK_CODES = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM']);

/** A disk that takes no more becomes `storage_full`, which says so; anything else stays what it is. */
export function asDiskError(error: unknown): unknown {
  return DISK_CODES.has(systemCode(error) ?? '') ? storageFull(error) : error;
}
