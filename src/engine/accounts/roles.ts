export const ROLES = ['owner', 'admin', 'member'] as const;

export type Role = (typeof ROLES)[number];

export type Permission = 'webhooks:manage';

/** What each role may do beyond using the service. */
export const PERMISSIONS: Record<Role, readonly Permission[]> = {
  owner: ['webhooks:manage'],
  admin: ['webhooks:manage'],
  member: [],
};
