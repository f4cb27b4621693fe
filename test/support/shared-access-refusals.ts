import type { Refusal } from './expect-refusal.ts';

/** Outside the table or the keys of a token. */
export const beyondRange: Refusal = {
  status: 403,
  code: 'AuthorizationFailure',
  message: 'This request is not authorized to perform this operation.',
  stage: 'executing',
};
/** Not among the permissions of a token. */
export const noPermission: Refusal = {
  ...beyondRange,
  code: 'AuthorizationPermissionMismatch',
  message: 'This request is not authorized to perform this operation using this permission.',
};
