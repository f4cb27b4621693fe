import { describePackage } from './language-package.ts';

describePackage(
  'The package for Java',
  ['mvn', '--version'],
  [
    {
      title: 'passes its own tests, has javadoc without a warning, and gives the tests of the example accounts',
      folder: 'test/packages/java',
      words: ['mvn', '--batch-mode', '--quiet', 'package'],
    },
  ],
);
