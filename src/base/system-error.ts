import { systemErrorCode } from './errors.ts';

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
  EEXIST: 'a file has the name of a folder of its path',
  ELOOP: 'its path contains a circle of links',
  EINVAL: 'the system does not accept its name',
  EMFILE: 'this process has too many open files',
  ENFILE: 'the system has too many open files',
  SQLITE_BUSY: 'another program has locked its database',
};

/** Describes an error of the system in words that fit after a colon, without a full stop. */
export function describeSystemError(error: unknown): string {
  const message = String(Object(error).message).replace(/\.$/, '');
  // An unknown error keeps the system's message, without the code, the system call and the path.
  return REASONS[systemErrorCode(error) ?? ''] ?? message.replace(/^E[A-Z]+: (.*?), \w+(?: '.*')?$/s, '$1');
}
