import type { Violations } from '../../src/engine/violations.ts';

export const NO_VIOLATIONS: Violations = {
  active: undefined,
  setRules() {},
  alteredContent: (_tx, { id: eventId, body }) => ({ eventId, body, signed: body }),
};
