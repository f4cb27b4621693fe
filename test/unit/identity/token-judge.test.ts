import { expect, it } from 'vitest';
import { openTokenJudge } from '../../../src/identity/token-judge.ts';
import { ManualTime } from '../../support/manual-time.ts';

it('names an address of keys that cannot be used without its password and its query', () => {
  const oauthKeys = 'https://someone:secret@keys.example/set?code=hidden';
  const settings = { oauth: 'verify', oauthKeys, oauthOverHttp: false, machineTime: new ManualTime() } as const;
  expect(() => openTokenJudge(settings)).toThrow(
    'The keys of tokens in https://keys.example/set cannot be used: the address contains a name or a password.',
  );
});
