// Global setup: removes two variables of the environment for workers and the processes that they start.
// NODE_EXTRA_CA_CERTS: Node 20 reads that file at every start, which takes longer than the rest of the start. Only programs
// that install packages need the variable; they get `networkEnvironment`.
// PYTHONDONTWRITEBYTECODE: Python would compile the SDK at every start. The variable is often set in container images.

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
