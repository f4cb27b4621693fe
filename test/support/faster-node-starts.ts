// Global setup: workers and the processes that they start get no NODE_EXTRA_CA_CERTS. Node 20 reads that file whenever it
// starts, and this takes longer than the rest of the start. Only programs that install packages need the variable; they get
// `networkEnvironment`.

const kept = 'TANZANITE_TEST_CA_CERTS';

export function setup(): void {
  const { NODE_EXTRA_CA_CERTS: file } = process.env;
  if (file === undefined) return;
  process.env[kept] = file;
  delete process.env['NODE_EXTRA_CA_CERTS'];
}

/** The environment of a program that fetches something. */
export const networkEnvironment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  NODE_EXTRA_CA_CERTS: process.env[kept] ?? process.env['NODE_EXTRA_CA_CERTS'],
});
