// With TANZANITE_TEST_SEED, property tests draw the same values again, in every file.
const seed = process.env['TANZANITE_TEST_SEED'];
if (seed !== undefined) {
  const { configureGlobal } = await import('fast-check');
  configureGlobal({ seed: Number(seed) });
}
