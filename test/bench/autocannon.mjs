// Sends the requests of a prepared file with autocannon, for machines without wrk. This script does the same as
// wrk.lua, but reaches a lower rate. load.mjs starts this script in a separate process and reads the figures that the
// script prints.
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import { serialMark } from './entities.mjs';

// Every connection that opens renders its requests again, so there are few.
const requestsMax = 400;

const { url, file, serialFrom, check, connections, seconds, requestTimeoutSeconds } = JSON.parse(process.argv[2]);
const clock = { first: undefined, last: 0, answered: 0 };
let serial = serialFrom;
let refused = 0;
let sample = '';

const requests = readRequests(file).slice(0, requestsMax).map(readRequest);
const began = performance.now();
const result = await autocannon({
  url,
  tlsOptions: { rejectUnauthorized: false },
  connections,
  duration: seconds,
  timeout: requestTimeoutSeconds,
  requests,
});
console.log(
  JSON.stringify({
    answered: result.requests.total,
    seconds: result.duration,
    bytes: result.throughput.total,
    refused,
    broken: result.errors + result.timeouts,
    timed: clock.answered,
    timedSeconds: clock.last - clock.first,
    sample,
  }),
);

function readRequests(name) {
  const bytes = readFileSync(name);
  const texts = [];
  for (let at = 0; at < bytes.length; ) {
    const lineEnd = bytes.indexOf('\n', at);
    const length = Number(bytes.latin1Slice(at, lineEnd));
    texts.push(bytes.latin1Slice(lineEnd + 1, lineEnd + 1 + length));
    at = lineEnd + 1 + length;
  }
  return texts;
}

function readRequest(text) {
  const headEnd = text.indexOf('\r\n\r\n');
  const [first, ...lines] = text.slice(0, headEnd).split('\r\n');
  const [method, path] = first.split(' ');
  const body = text.slice(headEnd + 4);
  const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s, 2)));
  delete headers['Content-Length'];
  const request = { method, path, headers, onResponse: look };
  if (body) request.body = body;
  if (text.includes(serialMark)) request.setupRequest = (plain) => ({ ...plain, body: fill(body) });
  return request;
}

function fill(body) {
  return body.replaceAll(serialMark, String(++serial).padStart(serialMark.length, '0'));
}

function look(status, body) {
  const now = (performance.now() - began) / 1_000;
  clock.first ??= 0;
  clock.last = now;
  clock.answered++;
  const parts = Number(/^batch:(\d+)$/.exec(check)?.[1] ?? 0);
  const isExpected = parts === 0 ? status < 300 : status === 202 && body.split('HTTP/1.1 204').length === parts + 1;
  if (isExpected) return;
  refused++;
  sample ||= `${status} ${body.slice(0, 300)}`;
}
