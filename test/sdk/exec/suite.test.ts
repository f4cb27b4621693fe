import { describeExecSuite } from '../../support/exec-suite.ts';

describeExecSuite({
  title: "a suite of Node's test runner",
  tool: [process.execPath, '--version'],
  prepare: async () => ({ command: process.execPath, args: ['--test', 'suite.mjs'], cwd: import.meta.dirname }),
  failureCode: 1,
});
