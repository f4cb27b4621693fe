export function hasAzurite(): boolean;
/** Starts Azurite on a free port, with its data in memory. */
export function startAzurite(): Promise<{ readonly port: number; stop(): Promise<void> }>;
