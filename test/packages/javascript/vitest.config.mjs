export default { test: { include: ['fails.vitest.mjs'] } };
