/** A start that could not happen: a bad flag, a taken port, data that cannot be used. */
export const exitCodeUnusable = 2;
