const given = process.env['TANZANITE_TEST_SEED'];

/** The seed of a test's random values: from TANZANITE_TEST_SEED, or a new one for each run. */
export const testSeed = given === undefined ? Date.now() % 1_000_000_000 : Number(given);
