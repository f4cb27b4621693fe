// Global setup: removes two environment variables for workers and for the processes that workers start. Both variables
// slow down every start.
// NODE_EXTRA_CA_CERTS names a file that Node 20 reads at every start, which takes longer than the rest of the start.
// Only programs that install packages need this variable. They get it from `networkEnvironment`.
// PYTHONDONTWRITEBYTECODE makes Python compile the SDK at every start. Container images often set this variable.

const kept = 'TANZANITE_TEST_CA_CERTS';

export function setup(): void {
  delete process.env['PYTHONDONTWRITEBYTECODE'];
  const { NODE_EXTRA_CA_CERTS: file } = process.env;
  if (file === undefined) return;
  process.env[kept] = file;
  delete process.env['NODE_EXTRA_CA_CERTS'];
}

/** The environment of a program that downloads something. */
export const networkEnvironment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  NODE_EXTRA_CA_CERTS: process.env[kept] ?? process.env['NODE_EXTRA_CA_CERTS'],
});
