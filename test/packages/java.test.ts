import { describePackage } from './language-package.ts';

// These programs run for seconds, so they gain nothing from Java's second compiler.
const briefly = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC';

describePackage(
  'The package for Java',
  ['mvn', '--version'],
  [
    {
      title: 'passes its own tests, has javadoc without a warning, and gives the tests of the example accounts',
      folder: 'test/packages/java',
      words: ['mvn', '--batch-mode', '--quiet', 'package', `-DargLine=${briefly}`],
      env: { MAVEN_OPTS: `${process.env['MAVEN_OPTS'] ?? ''} ${briefly}`.trim() },
    },
  ],
);
