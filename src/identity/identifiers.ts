/** The tenant of the built-in issuer, unless a file of clients names another. Its first bytes read "tanzanit". */
export const defaultTenantId = '74616e7a-616e-4974-a500-000000000001';
/** The application that `tanzanite env --identity` names. */
export const defaultClientId = '74616e7a-616e-4974-a500-000000000002';
/** The service principal of that application: the `oid` of its tokens. */
export const defaultObjectId = '74616e7a-616e-4974-a500-000000000003';
/** The only tenant name for which every MSAL skips instance discovery. */
export const adfsTenant = 'adfs';

const guidPattern = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

export const isGuid = (value: unknown): value is string => typeof value === 'string' && guidPattern.test(value);
