import { describe, expect, it } from 'vitest';
import { isForwarded, isLoopbackAddress } from '../../../src/model/request-source.ts';

describe('A request that a proxy passed on', () => {
  it.each([
    ...['forwarded', 'via', 'x-real-ip', 'x-forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'],
    ...['x-client-ip', 'client-ip', 'true-client-ip', 'x-cluster-client-ip', 'fastly-client-ip', 'fly-client-ip'],
    ...['cf-connecting-ip', 'cf-ray', 'cf-visitor', 'do-connecting-ip', 'cdn-loop', 'x-amz-cf-id', 'x-originating-ip'],
    ...['x-remote-ip', 'x-remote-addr', 'x-azure-clientip', 'x-azure-socketip', 'wl-proxy-client-ip', 'x-proxyuser-ip'],
    ...['x-original-url', 'x-original-host', 'x-arr-log-id', 'x-arr-ssl', 'x-envoy-external-address', 'x-nginx-proxy'],
    ...['x-appengine-user-ip', 'x-scheme', 'tailscale-user-login', 'x-proxy-id'],
  ])('is recognised by %s', (name) => {
    expect(isForwarded({ host: 'localhost', [name]: '1' })).toBe(true);
  });

  it('is not recognised by headers that clients send themselves', () => {
    const names =
      'host accept accept-charset accept-encoding accept-language authorization connection content-length content-type ' +
      'cookie date dataserviceversion expect if-match origin prefer referer sec-ch-ua sec-fetch-site traceparent ' +
      'transfer-encoding upgrade-insecure-requests user-agent x-emulator-explain x-http-method x-ms-client-request-id ' +
      'x-ms-client-session-id x-ms-date x-ms-return-client-request-id x-ms-version x-ms-useragent';
    expect(isForwarded(Object.fromEntries(names.split(' ').map((name) => [name, '1'])))).toBe(false);
  });
});

describe('An address of this machine', () => {
  it.each(['127.0.0.1', '127.255.0.3', '::1', '::ffff:127.0.0.1', '::FFFF:127.0.0.1'])('is %s', (address) => {
    expect(isLoopbackAddress(address)).toBe(true);
  });

  it.each(['', '10.0.0.1', '127.example', '1.127.0.0.1', '::ffff:10.0.0.1', '::2'])('is not %j', (address) => {
    expect(isLoopbackAddress(address)).toBe(false);
  });
});
