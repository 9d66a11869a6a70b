import type { Caller } from '../accounts/account-store.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { PERMISSIONS, type Permission } from '../accounts/roles.ts';
import { EmulatorError } from '../errors.ts';

const BEARER = /^Bearer +(\S+) *$/i;
/** Something that was meant as a key. */
const GIVEN = /^Bearer +\S/i;

/** Whom the request speaks for. Throws `missing_api_key` or `invalid_api_key`. */
export function authenticate(accounts: Accounts, authorization: string | undefined): Caller {
  const key = bearerKey(authorization);
  if (!key && !GIVEN.test(authorization ?? '')) {
    throw new EmulatorError(
      'missing_api_key',
      'No API key was given. Send the header Authorization: Bearer svc_sk_…; a fresh emulator knows svc_sk_local_emulator.',
    );
  }
  const caller = key && accounts.authenticate(key);
  if (caller) return caller;
  throw new EmulatorError(
    'invalid_api_key',
    'This API key is unknown or revoked. Use svc_sk_local_emulator, or make an account with POST /_emulator/accounts.',
  );
}

/** The key that a header carries. */
export function bearerKey(authorization: string | undefined): string | undefined {
  return authorization && BEARER.exec(authorization)?.[1];
}

/** Throws `permission_denied` when the caller's role lacks a permission. */
export function requirePermission(caller: Caller, permission: Permission): void {
  if (PERMISSIONS[caller.role].includes(permission)) return;
  throw new EmulatorError(
    'permission_denied',
    `The role ${caller.role} lacks the permission ${permission}; use the key of an owner or an admin of the workspace.`,
  );
}
