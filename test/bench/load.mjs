// The load generator: keep-alive sockets, one request at a time on each, and a parser that finds where an answer ends and
// no more, so that the server under test is the slower side. It runs in the bench's process; servers run in their own.
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';

const answerTimeoutMsDefault = 5_000;
const keptMax = 3;
const lastChunk = '\r\n0\r\n\r\n';

// Sends what next() gives for warmUpMs + durationMs, or requestsMax requests; counts answers after the warm-up. With
// follow({ request, head }), a request is answered only when follow has no further request to send in its place.
// Beside rates and latencies it gives the first answers of the slice, each as a list of its pages, for the bench to check
// when time no longer counts.
export async function drive({
  port,
  next,
  follow,
  status,
  connections = 16,
  warmUpMs = 0,
  durationMs = 60_000,
  requestsMax = Infinity,
  answerTimeoutMs = answerTimeoutMsDefault,
}) {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open({ port, answerTimeoutMs })));
  let answered = 0;
  let sent = 0;
  let latencies = [];
  const kept = [];
  let windowBegan = performance.now();
  let busyFrom = performance.eventLoopUtilization();
  const warm =
    warmUpMs > 0 &&
    setTimeout(() => {
      latencies = [];
      windowBegan = performance.now();
      busyFrom = performance.eventLoopUtilization();
    }, warmUpMs);
  let done = false;
  const end = setTimeout(() => (done = true), warmUpMs + durationMs);

  const take = () => {
    if (done || sent >= requestsMax) return undefined;
    sent++;
    return next();
  };
  const onAnswer = ({ elapsedMs, pages }) => {
    answered++;
    latencies.push(elapsedMs);
    if (kept.length < keptMax) kept.push(pages);
  };
  try {
    await Promise.all(sockets.map((socket) => converse({ socket, status, take, follow, onAnswer })));
  } finally {
    clearTimeout(warm);
    clearTimeout(end);
    for (const socket of sockets) socket.destroy();
  }
  const seconds = (performance.now() - windowBegan) / 1000;
  const busy = performance.eventLoopUtilization(busyFrom).utilization;
  const ratePerSecond = latencies.length / seconds;
  const answers = kept.map((pages) => pages.map((chunks) => readAnswer(Buffer.concat(chunks))));
  return { answered, ratePerSecond, busy, latencyMs: quantiles(latencies), kept: answers };
}

// Sends ratePerSecond requests whatever the answers do; one that finds every connection taken waits, and its wait counts.
export async function pace({
  port,
  next,
  status,
  ratePerSecond,
  connections = 1,
  durationMs,
  answerTimeoutMs = answerTimeoutMsDefault,
}) {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open({ port, answerTimeoutMs })));
  const idle = [...sockets];
  const waiting = [];
  const latencies = [];
  const busyFrom = performance.eventLoopUtilization();
  const began = performance.now();
  let due = 0;
  const dueMax = Math.max(1, Math.floor((durationMs * ratePerSecond) / 1000));
  await new Promise((resolve, reject) => {
    const fail = (error) => {
      clearInterval(ticking);
      reject(error);
    };
    const use = (socket, dueAt) => {
      const take = once(next);
      const onAnswer = () => latencies.push(performance.now() - dueAt);
      converse({ socket, status, take, onAnswer }).then(() => release(socket), fail);
    };
    const release = (socket) => {
      if (waiting.length > 0) use(socket, waiting.shift());
      else idle.push(socket);
      if (due === dueMax && idle.length === connections) resolve();
    };
    const ticking = setInterval(() => {
      const now = performance.now();
      const dueNow = Math.min(dueMax, Math.floor(((now - began) * ratePerSecond) / 1000));
      for (; due < dueNow; due++) {
        const socket = idle.shift();
        if (socket) use(socket, now);
        else waiting.push(now);
      }
      if (due === dueMax) clearInterval(ticking);
    }, 1);
  }).finally(() => {
    for (const socket of sockets) socket.destroy();
  });
  const seconds = (performance.now() - began) / 1000;
  const busy = performance.eventLoopUtilization(busyFrom).utilization;
  return {
    answered: latencies.length,
    ratePerSecond: latencies.length / seconds,
    busy,
    latencyMs: quantiles(latencies),
  };
}

// One request on a connection of its own; the answer as { status, headers: [[name, value]], body, bytes }.
export async function askOnce({ port, request, answerTimeoutMs = answerTimeoutMsDefault }) {
  const socket = await open({ port, answerTimeoutMs });
  try {
    return await new Promise((resolve, reject) => {
      const collect = collector();
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('connection closed before the answer')));
      socket.on('data', (chunk) => {
        const answer = collect(chunk);
        if (answer) resolve(readAnswer(Buffer.concat(answer.chunks)));
      });
      socket.write(request, 'latin1');
    });
  } finally {
    socket.destroy();
  }
}

function open({ port, answerTimeoutMs }) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.setTimeout(answerTimeoutMs, () => socket.destroy(new Error(`no answer within ${answerTimeoutMs} ms`)));
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

// Asks what take() gives, one after the other, until it gives nothing.
function converse({ socket, status, take, follow, onAnswer }) {
  return new Promise((resolve, reject) => {
    let request;
    let sentAt = 0;
    let pages = [];
    const collect = collector();
    const begin = () => {
      request = take();
      if (request === undefined) {
        socket.removeAllListeners('data');
        socket.off('error', reject);
        socket.off('close', onClose);
        resolve();
        return;
      }
      sentAt = performance.now();
      socket.write(request, 'latin1');
    };
    const onClose = () => reject(new Error('connection closed by the server'));
    socket.on('error', reject);
    socket.on('close', onClose);
    socket.on('data', (chunk) => {
      const answer = collect(chunk);
      if (!answer) return;
      if (answer.status !== status || answer.isTooLong) {
        reject(new Error(`expected ${status}, received: ${Buffer.concat(answer.chunks).toString('latin1')}`));
        return;
      }
      pages.push(answer.chunks);
      const further = follow?.({ request, head: answer.head });
      if (further) {
        request = further;
        socket.write(request, 'latin1');
        return;
      }
      onAnswer({ elapsedMs: performance.now() - sentAt, pages });
      pages = [];
      begin();
    });
    begin();
  });
}

function once(next) {
  let isTaken = false;
  return () => {
    if (isTaken) return undefined;
    isTaken = true;
    return next();
  };
}

// Gathers what arrives on one connection; answers undefined while bytes of the current answer are missing. Bodies of a
// megabyte come in many pieces, so pieces are joined only where the end cannot be seen without.
function collector() {
  let chunks = [];
  let bytes = 0;
  let parsed;
  return (chunk) => {
    chunks.push(chunk);
    bytes += chunk.length;
    parsed ??= parseHead(chunks.length === 1 ? chunk : Buffer.concat(chunks));
    if (!parsed) return undefined;
    const isWhole = parsed.end === undefined ? endsChunked(chunks) : bytes >= parsed.end;
    if (!isWhole) return undefined;
    const answer = { ...parsed, chunks, isTooLong: parsed.end !== undefined && bytes > parsed.end };
    chunks = [];
    bytes = 0;
    parsed = undefined;
    return answer;
  };
}

// The head, and where its answer ends; without the end if the body comes in HTTP chunks.
function parseHead(buffer) {
  const headEnd = buffer.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const head = buffer.latin1Slice(0, headEnd);
  const status = Number(head.slice(9, 12));
  const bodyStart = headEnd + 4;
  if (status === 204 || status === 304) return { status, head, end: bodyStart };
  const length = /\r\ncontent-length: *(\d+)/i.exec(head);
  return { status, head, end: length ? bodyStart + Number(length[1]) : undefined };
}

// JSON has no line ends of its own, so nothing but the last HTTP chunk ends like this.
function endsChunked(chunks) {
  const last = chunks[chunks.length - 1];
  const tail = last.length >= lastChunk.length ? last : Buffer.concat(chunks);
  return tail.latin1Slice(tail.length - lastChunk.length) === lastChunk;
}

function quantiles(latencies) {
  const sorted = Float64Array.from(latencies).sort();
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return { p50: at(0.5), p99: at(0.99) };
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
