import { systemCode } from './errors.ts';

const REASONS: Record<string, string> = {
  EACCES: 'this user may not access it',
  EPERM: 'this user may not access it',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  ENAMETOOLONG: 'its path is too long',
  EROFS: 'its disk is read-only',
  ENOSPC: 'its disk is full',
  EDQUOT: 'the disk quota of this user is used up',
  EMFILE: 'this process has too many open files',
  ENFILE: 'the system has too many open files',
  SQLITE_BUSY: 'another program has locked its database',
};

/** Why the system refused to read or write a file, in words that follow a colon. Ends without a full stop. */
export function systemReason(error: unknown): string {
  return REASONS[systemCode(error) ?? ''] ?? String(Object(error).message).replace(/\.$/, '');
}
