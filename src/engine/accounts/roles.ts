export const ROLES = ['owner', 'admin', 'member'] as const;

export type MemberRole = (typeof ROLES)[number];

export type Permission = 'webhooks:manage';

export const PERMISSIONS: Record<MemberRole, readonly Permission[]> = {
  owner: ['webhooks:manage'],
  admin: ['webhooks:manage'],
  member: [],
};

/** In seconds. */
export const CLIP_CAP = { payg: 10, hobby: 15, creator: 20, studio: 30 } as const;

export type AccountPlan = keyof typeof CLIP_CAP;

export const PLANS = ['payg', 'hobby', 'creator', 'studio'] as const satisfies readonly AccountPlan[];

export const PLAN_NAME: Record<AccountPlan, string> = {
  payg: 'pay-as-you-go',
  hobby: 'Hobby',
  creator: 'Creator',
  studio: 'Studio',
};
