import { describe, expect, it } from 'vitest';
import { type Approach, findPublicRefusal, findRefusal, type GuardOptions } from '../../../src/control/guard.ts';

const token = 'a-token-of-some-length';
const usual: Approach = {
  peerAddress: '127.0.0.1',
  host: '127.0.0.1:10002',
  origin: undefined,
  fetchSite: undefined,
  authorization: undefined,
  isForwarded: false,
};
const onLoopback: GuardOptions = { listenHost: '127.0.0.1', boundAddress: '127.0.0.1' };
const everywhere: GuardOptions = { listenHost: '0.0.0.0', boundAddress: '0.0.0.0' };

function verdict(approach: Partial<Approach>, options: GuardOptions = onLoopback): string {
  return findRefusal({ ...usual, ...approach }, options)?.code ?? 'passes';
}

describe('Without a token, on loopback', () => {
  it.each([
    '127.0.0.1:10002',
    '127.0.0.1',
    '127.1.2.3:1',
    'localhost',
    'localhost:10002',
    'LocalHost:80',
    'devstoreaccount1.table.localhost:10002',
    'localhost.',
    'localhost.:10002',
    'devstoreaccount1.table.localhost.:10002',
    '[::1]:10002',
    '[::1]',
  ])('Host %s passes', (host) => {
    expect(verdict({ host })).toBe('passes');
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['a name that may lead to loopback', 'rebound.example:10002'],
    ['a name that begins like loopback', '127.0.0.1.example'],
    ['a name that ends like localhost', 'notlocalhost'],
    ['a name with localhost for a label', 'localhost.example'],
    ['an absolute name of elsewhere', 'rebound.example.:10002'],
    ['an absolute name with localhost for a label', 'localhost.example.'],
    ['no name before two dots', 'localhost..'],
    ['a private address', '192.168.0.7:10002'],
    ['no port after the colon', 'localhost:'],
    ['credentials before the name', 'evil@localhost'],
    ['two names', 'localhost, evil.example'],
    ['an invalid address', '127.0.0.256'],
    ['loopback in hexadecimal', '0x7f.0.0.1'],
    ['every address', '0.0.0.0:10002'],
    ['an address in brackets that is another', '[::2]:10002'],
    ['a path after it', 'localhost/evil'],
  ])('Host is refused if it is %s', (_, host) => {
    expect(verdict({ host })).toBe('ForeignHost');
  });

  it.each(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])('a peer at %s passes', (peerAddress) => {
    expect(verdict({ peerAddress })).toBe('passes');
  });

  it.each([undefined, '192.168.0.7', '::ffff:192.168.0.7', 'fe80::1', '1.127.0.0'])(
    'a peer at %s is refused',
    (peer) => {
      expect(verdict({ peerAddress: peer })).toBe('ForeignPeer');
    },
  );

  it('the configured host name passes as Host, in any case', () => {
    const options = { listenHost: 'Emulator.Test', boundAddress: '127.0.0.1' };
    expect(verdict({ host: 'emulator.test:10002' }, options)).toBe('passes');
    expect(verdict({ host: 'other.test:10002' }, options)).toBe('ForeignHost');
  });

  it('the configured IPv6 address passes as Host, in brackets', () => {
    const options = { listenHost: '::FFFF:127.0.0.1', boundAddress: '::ffff:127.0.0.1' };
    expect(verdict({ host: '[::ffff:127.0.0.1]:10002' }, options)).toBe('passes');
  });
});

describe('A request from a page', () => {
  const host = 'localhost:10002';

  it.each(['http://localhost:10002', 'HTTP://LOCALHOST:10002', 'https://localhost:10002'])(
    'passes from %s, which equals the Host',
    (origin) => {
      expect(verdict({ host, origin })).toBe('passes');
    },
  );

  it.each([
    ['http://localhost', 'localhost'],
    ['http://localhost', 'localhost:80'],
    ['https://localhost', 'localhost:443'],
    ['http://[::1]:10002', '[::1]:10002'],
    ['http://[::1]:10002', '[0:0:0:0:0:0:0:1]:10002'],
  ])('passes from %s with Host %s, which is the same origin in another form', (origin, own) => {
    expect(verdict({ host: own, origin })).not.toBe('ForeignOrigin');
  });

  it.each([
    ['http://localhost', 'localhost:443'],
    ['https://localhost', 'localhost:80'],
    ['http://[::1]:10002', '[::2]:10002'],
    [`http://${'é'.repeat(60_000)}`, 'é'.repeat(60_000)],
  ])('is refused from %.40s with Host %.40s', (origin, own) => {
    const authorization = `Bearer ${token}`;
    expect(verdict({ host: own, origin, authorization }, { ...onLoopback, token })).toBe('ForeignOrigin');
  });

  it.each([
    'null',
    '',
    'http://localhost:3000',
    'http://localhost',
    'http://127.0.0.1:10002',
    'http://evil.example',
    'http://evil.example:10002',
    'http://localhost:10002.evil.example',
    'http://localhost:10002/path',
    'http://evil@localhost:10002',
    'http://localhost:10002, http://evil.example',
    'file://localhost:10002',
    'chrome-extension://localhost:10002',
    'localhost:10002',
  ])('is refused from the Origin %j', (origin) => {
    expect(verdict({ host, origin })).toBe('ForeignOrigin');
    expect(verdict({ host, origin, authorization: `Bearer ${token}` }, { ...onLoopback, token })).toBe('ForeignOrigin');
  });

  it('is refused if its name was rebound to loopback, even if Origin and Host are equal', () => {
    expect(verdict({ host: 'evil.example', origin: 'http://evil.example' })).toBe('ForeignHost');
  });

  it.each([
    ['cross-site', 'ForeignPage'],
    ['Cross-Site', 'ForeignPage'],
    ['same-site', 'ForeignPage'],
    ['', 'ForeignPage'],
    ['unheard-of', 'ForeignPage'],
    ['same-origin', 'passes'],
    ['Same-Origin', 'passes'],
    ['none', 'passes'],
  ])('with Sec-Fetch-Site %s: %s', (fetchSite, expected) => {
    expect(verdict({ fetchSite })).toBe(expected);
    expect(verdict({ fetchSite, authorization: `Bearer ${token}` }, { ...onLoopback, token })).toBe(expected);
  });
});

describe('A request from a proxy on this machine', () => {
  it('is refused without a token, with a line that says why and how to configure one', () => {
    const refusal = findRefusal({ ...usual, isForwarded: true }, onLoopback);
    expect([refusal?.code, refusal?.status]).toEqual(['ForwardedRequest', 403]);
    expect(refusal?.message).toMatch(/proxy .*--control-token/);
  });

  it('passes with the token', () => {
    const authorization = `Bearer ${token}`;
    expect(verdict({ isForwarded: true, authorization }, { ...onLoopback, token })).toBe('passes');
  });

  it('passes if the route is public', () => {
    expect(findPublicRefusal({ ...usual, isForwarded: true }, onLoopback)).toBeUndefined();
  });
});

describe('Beyond loopback without a token', () => {
  it.each([
    ['0.0.0.0', '0.0.0.0'],
    ['::', '::'],
    ['192.168.0.7', '192.168.0.7'],
    ['emulator.test', '10.0.0.7'],
  ])(
    'on %s everything is refused, even from this machine, with a line that says how to configure a token',
    (listenHost, boundAddress) => {
      const refusal = findRefusal(usual, { listenHost, boundAddress });
      expect([refusal?.code, refusal?.status]).toEqual(['TokenNotConfigured', 403]);
      expect(refusal?.message).toContain('--control-token');
      expect(refusal?.message).toContain('TANZANITE_CONTROL_TOKEN');
    },
  );
});

describe('With a token', () => {
  it.each([`Bearer ${token}`, `bearer ${token}`, `Bearer  ${token} `])('%j passes, for any Host and peer', (sent) => {
    const approach = { authorization: sent, host: 'emulator.test', peerAddress: '192.168.0.7' };
    expect(verdict(approach, { ...everywhere, token })).toBe('passes');
    expect(verdict({ authorization: sent }, { ...onLoopback, token })).toBe('passes');
  });

  it.each([
    [undefined, 'TokenMissing'],
    ['', 'TokenMissing'],
    ['Bearer', 'TokenMissing'],
    ['Bearer ', 'TokenMissing'],
    [token, 'TokenMissing'],
    [`Basic ${token}`, 'TokenMissing'],
    [`Bearer ${token} ${token}`, 'TokenMissing'],
    [`Bearer ${token}x`, 'TokenWrong'],
    [`Bearer ${token.slice(0, -1)}`, 'TokenWrong'],
    [`Bearer ${token.toUpperCase()}`, 'TokenWrong'],
  ])('Authorization %j: 401 %s, even from this machine', (authorization, code) => {
    for (const options of [onLoopback, everywhere]) {
      const refusal = findRefusal({ ...usual, authorization }, { ...options, token });
      expect([refusal?.code, refusal?.status]).toEqual([code, 401]);
    }
  });
});

describe('A public route', () => {
  const open = (approach: Partial<Approach>, options: GuardOptions): string =>
    findPublicRefusal({ ...usual, ...approach }, options)?.code ?? 'passes';

  it('passes beyond loopback from any peer, for any Host, with and without a configured token', () => {
    for (const options of [everywhere, { ...everywhere, token }]) {
      expect(open({}, options)).toBe('passes');
      expect(open({ peerAddress: '10.0.0.7', host: 'emulator.test' }, options)).toBe('passes');
      expect(open({ peerAddress: '10.0.0.7', host: undefined }, options)).toBe('passes');
      expect(open({ authorization: 'Bearer another' }, options)).toBe('passes');
    }
  });

  it('on loopback, passes only from this machine and for its names, with and without a configured token', () => {
    for (const options of [onLoopback, { ...onLoopback, token }]) {
      expect(open({}, options)).toBe('passes');
      expect(open({ host: 'rebound.example:10002' }, options)).toBe('ForeignHost');
      expect(open({ peerAddress: '192.168.0.7' }, options)).toBe('ForeignPeer');
    }
  });

  it('is refused to pages of other origins everywhere', () => {
    for (const options of [onLoopback, everywhere, { ...everywhere, token }]) {
      expect(open({ origin: 'http://evil.example' }, options)).toBe('ForeignOrigin');
      expect(open({ origin: 'null' }, options)).toBe('ForeignOrigin');
      expect(open({ fetchSite: 'cross-site' }, options)).toBe('ForeignPage');
    }
  });
});

describe('A refusal', () => {
  it('is one line that repeats nothing from the request', () => {
    const sent = 'secret-secret-secret';
    for (const options of [onLoopback, everywhere, { ...everywhere, token }]) {
      const approach = { ...usual, host: sent, origin: sent, authorization: `Bearer ${sent}` };
      const { message = '' } = findRefusal(approach, options) ?? {};
      expect(message).toMatch(/^[A-Z][^\n]+\.$/);
      expect(message).not.toContain(sent);
      expect(message).not.toContain(token);
    }
  });
});
