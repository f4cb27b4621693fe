import { describePackage } from './language-package.ts';

describePackage(
  'The module for Go',
  ['go', 'version'],
  [
    { title: 'passes go vet', folder: 'packages/go', words: ['go', 'vet', './...'] },
    { title: 'passes its own tests', folder: 'packages/go', words: ['go', 'test', '-count=1', './...'] },
    {
      title: 'gives aztables accounts in the example',
      folder: 'examples/go',
      words: ['go', 'test', '-count=1', '-mod=readonly', './...'],
    },
  ],
);
