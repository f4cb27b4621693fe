// The load generator: keep-alive sockets, one request at a time on each, and a parser that finds where an answer ends and
// no more, so that the server under test is the slower side. It runs in the bench's process; servers run in their own.
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';

const connectTimeoutMs = 5_000;

// Sends what next() gives for warmUpMs + durationMs, or requestsMax requests; counts answers after the warm-up.
export async function drive({
  port,
  next,
  status,
  connections = 16,
  warmUpMs = 0,
  durationMs = 60_000,
  requestsMax = Infinity,
}) {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  let answered = 0;
  let sent = 0;
  let countedFrom = 0;
  const began = performance.now();
  let windowBegan = began;
  let busyFrom = performance.eventLoopUtilization();
  const warm = setTimeout(() => {
    countedFrom = answered;
    windowBegan = performance.now();
    busyFrom = performance.eventLoopUtilization();
  }, warmUpMs);
  let done = false;
  const end = setTimeout(() => (done = true), warmUpMs + durationMs);

  const send = (socket) => {
    if (done || sent >= requestsMax) return false;
    sent++;
    socket.write(next(), 'latin1');
    return true;
  };
  try {
    await Promise.all(sockets.map((socket) => converse({ socket, status, send, onAnswer: () => answered++ })));
  } finally {
    clearTimeout(warm);
    clearTimeout(end);
    for (const socket of sockets) socket.destroy();
  }
  const seconds = (performance.now() - windowBegan) / 1000;
  const busy = performance.eventLoopUtilization(busyFrom).utilization;
  return { answered, ratePerSecond: (answered - countedFrom) / seconds, busy };
}

// One request on a connection of its own; the answer as { status, headers: [[name, value]], body, bytes }.
export async function askOnce({ port, request }) {
  const socket = await open(port);
  try {
    return await new Promise((resolve, reject) => {
      let received = Buffer.alloc(0);
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('connection closed before the answer')));
      socket.on('data', (chunk) => {
        received = Buffer.concat([received, chunk]);
        if (findEnd(received)) resolve(readAnswer(received));
      });
      socket.write(request, 'latin1');
    });
  } finally {
    socket.destroy();
  }
}

function open(port) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.setTimeout(connectTimeoutMs, () => socket.destroy(new Error(`no answer within ${connectTimeoutMs} ms`)));
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

function converse({ socket, status, send, onAnswer }) {
  return new Promise((resolve, reject) => {
    let pending = null;
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('connection closed by the server')));
    socket.on('data', (chunk) => {
      const received = pending ? Buffer.concat([pending, chunk]) : chunk;
      const found = findEnd(received);
      if (!found) {
        pending = received;
        return;
      }
      pending = null;
      if (found.status !== status || found.end !== received.length) {
        reject(new Error(`expected ${status}, received: ${received.toString('latin1')}`));
        return;
      }
      onAnswer();
      if (!send(socket)) resolve();
    });
    if (!send(socket)) resolve();
  });
}

// Where the answer ends and its status, or undefined while bytes are missing.
function findEnd(buffer) {
  const headEnd = buffer.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const head = buffer.latin1Slice(0, headEnd);
  const status = Number(head.slice(9, 12));
  const bodyStart = headEnd + 4;
  if (status === 204 || status === 304) return { status, end: bodyStart };
  const length = /\r\ncontent-length: *(\d+)/i.exec(head);
  const end = length ? bodyStart + Number(length[1]) : findLastChunk(buffer, bodyStart);
  return end !== undefined && end <= buffer.length ? { status, end } : undefined;
}

function findLastChunk(buffer, bodyStart) {
  let at = bodyStart;
  while (at < buffer.length) {
    const lineEnd = buffer.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(buffer.latin1Slice(at, lineEnd), 16);
    at = lineEnd + 2 + size + 2;
    if (size === 0) return at;
  }
  return undefined;
}

function readAnswer(buffer) {
  const headEnd = buffer.indexOf('\r\n\r\n');
  const [first, ...lines] = buffer.toString('latin1', 0, headEnd).split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const chunked = headers.some(([name, value]) => /^transfer-encoding$/i.test(name) && value === 'chunked');
  let body = buffer.toString('utf8', headEnd + 4);
  if (chunked) {
    body = '';
    for (let at = headEnd + 4; ; ) {
      const lineEnd = buffer.indexOf('\r\n', at);
      const size = Number.parseInt(buffer.latin1Slice(at, lineEnd), 16);
      if (size === 0) break;
      body += buffer.toString('utf8', lineEnd + 2, lineEnd + 2 + size);
      at = lineEnd + 2 + size + 2;
    }
  }
  return { status: Number(first.slice(9, 12)), headers, body, bytes: buffer.length };
}
