export default { test: { include: ['endless.test.mjs'], testTimeout: 0 } };
