export function hasAzurite(): boolean;
/** On a free port, in memory. */
export function startAzurite(): Promise<{ readonly port: number; stop(): Promise<void> }>;
