const given = process.env['TANZANITE_TEST_SEED'];

/** The seed of a test's random values. It comes from TANZANITE_TEST_SEED, or is different for each run. */
export const testSeed = given === undefined ? Date.now() % 1_000_000_000 : Number(given);
