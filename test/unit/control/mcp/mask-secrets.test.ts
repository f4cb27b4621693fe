import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { maskWith } from '../../../../src/control/mcp/mask-secrets.ts';
import { developmentKey } from '../../../support/sign.mjs';

const keys = [createSecretKey(Buffer.from(developmentKey, 'base64')), createSecretKey(Buffer.from('short-key'))];
const mask = maskWith({ keys, controlToken: 'control-token-1' });

describe('a text for an assistant', () => {
  it.each([
    [`before ${developmentKey} behind`, 'before REDACTED behind'],
    [
      `AccountName=a;AccountKey=${developmentKey};EndpointSuffix=x`,
      'AccountName=a;AccountKey=REDACTED;EndpointSuffix=x',
    ],
    ['AccountKey=Zm9yZWlnbg==', 'AccountKey=REDACTED'],
    ['https://h/t?sv=2019-02-02&sig=aB%2Fc%3D&se=2030', 'https://h/t?sv=2019-02-02&sig=REDACTED&se=2030'],
    ['?SIG=abc', '?SIG=REDACTED'],
    ['sig=abc', 'sig=REDACTED'],
    ['SharedAccessSignature=sv=1;sig=abc', 'SharedAccessSignature=sv=1;sig=REDACTED'],
    ['Bearer eyJhbGciOiJSUzI1NiJ9.eyJhdWQiOiJ4In0.c2ln', 'Bearer REDACTED'],
    [
      'q?f=x%20eq%20%27https%3A%2F%2Fh%2Ft%3Fsv%3D1%26sig%3DaB%252Fc%253D%26se%3D1%27',
      'q?f=x%20eq%20%27https%3A%2F%2Fh%2Ft%3Fsv%3D1%26sig%3DREDACTED%26se%3D1%27',
    ],
    ['%27AccountKey%3DZm9y%2FZWlnbg%3d%3d%3BX%27', '%27AccountKey%3DREDACTED%3BX%27'],
    [`%27${encodeURIComponent(developmentKey)}%27`, '%27REDACTED%27'],
    [`x${encodeURIComponent(encodeURIComponent(developmentKey))}`, 'xREDACTED'],
    ['said c2hvcnQta2V5 and control%2dtoken%252D1', 'said REDACTED and REDACTED'],
    ['said control-token-1 twice: control-token-1', 'said REDACTED twice: REDACTED'],
  ])('%s is shown as %s', (text, shown) => {
    expect(mask(text)).toBe(shown);
  });

  it.each([
    'design=5',
    `${Buffer.alloc(64, 7).toString('base64')}`,
    'eyJ is how they begin',
    'a sign of it',
    '100%25 of it',
  ])('%s is shown unchanged', (text) => {
    expect(mask(text)).toBe(text);
  });

  it('keeps a short control token, because any text may contain the same characters', () => {
    expect(maskWith({ keys, controlToken: 'a' })('banana banana')).toBe('banana banana');
  });
});
