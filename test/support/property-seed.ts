// With TANZANITE_TEST_SEED, the property tests of every file use the same random values again.
const seed = process.env['TANZANITE_TEST_SEED'];
if (seed !== undefined) {
  const { configureGlobal } = await import('fast-check');
  configureGlobal({ seed: Number(seed) });
}
