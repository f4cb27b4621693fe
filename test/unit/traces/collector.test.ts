import { describe, expect, it } from 'vitest';
import { type Collector, readCollector, type Variables } from '../../../src/traces/collector.ts';

const read = (variables: Variables): Collector => readCollector('env', variables) as Collector;

describe('The collector that --otlp names', () => {
  it.each([
    ['http://localhost:4318', 'http://localhost:4318/v1/traces'],
    ['http://localhost:4318/', 'http://localhost:4318/v1/traces'],
    ['https://collector.test/tenant', 'https://collector.test/tenant/v1/traces'],
    ['https://collector.test/v1/traces', 'https://collector.test/v1/traces'],
    ['https://collector.test/?key=hush', 'https://collector.test/v1/traces?key=hush'],
  ])('%s gets spans at %s', (given, url) => {
    expect(readCollector(given, {})).toMatchObject({ url, headers: {}, timeoutMs: 10_000, resource: {} });
  });

  it('gets user and password in a header, because fetch refuses them in an address', () => {
    const { url, headers } = readCollector('http://me:p%40ss@localhost:4318', {}) as Collector;
    expect(url).toBe('http://localhost:4318/v1/traces');
    expect(headers).toEqual({ authorization: `Basic ${Buffer.from('me:p@ss').toString('base64')}` });
  });

  it('ignores variables', () => {
    const variables = { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
    expect(readCollector('http://localhost:4318', variables)?.url).toBe('http://localhost:4318/v1/traces');
  });
});

describe('The collector that the variables of OpenTelemetry name', () => {
  it('is on this machine by default', () => {
    expect(read({})).toMatchObject({
      url: 'http://localhost:4318/v1/traces',
      sampler: { isParentBased: true, ratio: 1 },
    });
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }).url).toBe('http://localhost:4318/v1/traces');
  });

  it('adds the path for traces to the general endpoint, but not to an endpoint for traces', () => {
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c.test:1/base/' }).url).toBe('http://c.test:1/base/v1/traces');
    const own = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c.test', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t.test/x' };
    expect(read(own).url).toBe('http://t.test/x');
    expect(read({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t.test' }).url).toBe('http://t.test/');
  });

  it('gets headers: those for traces override the general ones', () => {
    const { headers } = read({
      OTEL_EXPORTER_OTLP_HEADERS: 'x-Key=a%20b, other=1',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'other=2=3',
    });
    expect(headers).toEqual({ 'x-key': 'a b', other: '2=3' });
  });

  it('gets the attributes and the name from variables', () => {
    const variables = { OTEL_RESOURCE_ATTRIBUTES: 'team=a%2Cb,service.name=other', OTEL_SERVICE_NAME: 'mine' };
    expect(read(variables).resource).toEqual({ team: 'a,b', 'service.name': 'mine' });
  });

  it('is awaited as long as the variable says', () => {
    expect(read({ OTEL_EXPORTER_OTLP_TIMEOUT: '250' }).timeoutMs).toBe(250);
    expect(read({ OTEL_EXPORTER_OTLP_TIMEOUT: '250', OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '1' }).timeoutMs).toBe(1);
  });

  it('gets the HTTP methods that the variable names', () => {
    expect(read({}).methods.has('MERGE')).toBe(false);
    expect(read({ OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS: 'GET,MERGE' }).methods).toEqual(new Set(['GET', 'MERGE']));
  });

  it.each<[Variables]>([[{ OTEL_SDK_DISABLED: 'TRUE' }], [{ OTEL_TRACES_EXPORTER: 'none' }]])(
    'is absent with %j',
    (variables) => {
      expect(readCollector('env', variables)).toBeUndefined();
    },
  );

  it.each<[string, Variables, string]>([
    ['another protocol', { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"'],
    [
      'another protocol for traces',
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf' },
      'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL is "http/protobuf"',
    ],
    ['another exporter', { OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER is "zipkin"'],
    ['no address', { OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT is not an address'],
    ['a scheme that is none', { OTEL_EXPORTER_OTLP_ENDPOINT: 'file:///hush' }, 'OTEL_EXPORTER_OTLP_ENDPOINT is no'],
    ['a header without a name', { OTEL_EXPORTER_OTLP_HEADERS: 'a=1,=hush' }, 'OTEL_EXPORTER_OTLP_HEADERS: item 2'],
    ['a header of two lines', { OTEL_EXPORTER_OTLP_HEADERS: 'a=1%0d%0ahush:2' }, 'item 1 is not a header'],
    ['a header of the transport', { OTEL_EXPORTER_OTLP_HEADERS: 'Host=hush' }, 'item 1 is not a header'],
    ['half an escape', { OTEL_EXPORTER_OTLP_HEADERS: 'a=hush%' }, 'OTEL_EXPORTER_OTLP_HEADERS holds a %'],
    ['no time', { OTEL_EXPORTER_OTLP_TIMEOUT: '10s' }, 'OTEL_EXPORTER_OTLP_TIMEOUT must be milliseconds'],
    ['its own sampler', { OTEL_TRACES_SAMPLER: 'xray' }, 'OTEL_TRACES_SAMPLER must be'],
    ['no share', { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' }, 'OTEL_TRACES_SAMPLER_ARG must'],
  ])('is refused with %s, and the message contains no value of a header', (_name, variables, message) => {
    expect(() => read(variables)).toThrow(message);
    expect(() => read(variables)).not.toThrow('hush');
  });
});
