import type { Refusal } from './expect-refusal.ts';

/** The refusal of a request outside the table or the keys of a token. */
export const beyondRange: Refusal = {
  status: 403,
  code: 'AuthorizationFailure',
  message: 'This request is not authorized to perform this operation.',
  stage: 'executing',
};
/** The refusal of a request for which a token has no permission. */
export const noPermission: Refusal = {
  ...beyondRange,
  code: 'AuthorizationPermissionMismatch',
  message: 'This request is not authorized to perform this operation using this permission.',
};
