// A small HTTP client over keep-alive sockets, with one request at a time on each socket. It sends single requests,
// fills tables, and sends the reads of the bystander bench. Measurements at full speed use load.mjs instead, which
// generates the load in a separate process.
import { connect } from 'node:net';
import { connect as connectSecurely } from 'node:tls';

const lastChunk = '\r\n0\r\n\r\n';
const answerTimeoutMs = 120_000;

// Opens a connection. Its ask(request) resolves with { status, headers: [[name, value]], body, bytes }. If isSecure is
// true, the connection uses TLS and trusts any certificate.
export async function openConnection({ port, isSecure }) {
  const socket = await openSocket({ port, isSecure });
  const collect = collector();
  let waiting;
  const fail = (error) => waiting?.reject(error);
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the server closed the connection before its answer')));
  socket.on('data', (chunk) => {
    const answer = collect(chunk);
    if (!answer) return;
    const { resolve } = waiting;
    waiting = undefined;
    resolve(answer);
  });
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(request, 'latin1');
      }),
    close: () => socket.destroy(),
  };
}

export async function askOnce({ request, ...server }) {
  const connection = await openConnection(server);
  try {
    return await connection.ask(request);
  } finally {
    connection.close();
  }
}

// Sends the requests that next() returns, over several connections, until next() returns undefined. check(answer)
// throws if an answer is wrong.
export async function askAll({ next, check, connections, ...server }) {
  const converse = async () => {
    const connection = await openConnection(server);
    try {
      for (let request = next(); request !== undefined; request = next()) check(await connection.ask(request));
    } finally {
      connection.close();
    }
  };
  await Promise.all(Array.from({ length: connections }, converse));
}

function openSocket({ port, isSecure }) {
  return new Promise((resolve, reject) => {
    const address = { port, host: '127.0.0.1', noDelay: true };
    const socket = isSecure ? connectSecurely({ ...address, rejectUnauthorized: false }) : connect(address);
    socket.setTimeout(answerTimeoutMs, () => socket.destroy(new Error(`no answer within ${answerTimeoutMs} ms`)));
    socket.once('error', reject);
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

// Returns a function that collects what arrives on one connection. The function returns undefined while bytes of the
// current answer are missing. A body of a megabyte arrives in many pieces. The pieces are joined when the answer is
// complete, or earlier if there is no other way to find the end of the answer.
function collector() {
  let chunks = [];
  let bytes = 0;
  let end;
  return (chunk) => {
    chunks.push(chunk);
    bytes += chunk.length;
    end ??= findEnd(chunks.length === 1 ? chunk : Buffer.concat(chunks));
    if (end === undefined || !isWhole({ chunks, bytes, end })) return undefined;
    const answer = readAnswer(Buffer.concat(chunks));
    chunks = [];
    bytes = 0;
    end = undefined;
    return answer;
  };
}

// Returns whether the answer is complete. An answer in HTTP chunks ends with lastChunk. The service's JSON contains no
// line ends, so no earlier text matches lastChunk.
function isWhole({ chunks, bytes, end }) {
  if (end !== 'chunked') return bytes >= end;
  const last = chunks.at(-1);
  const tail = last.length >= lastChunk.length ? last : Buffer.concat(chunks);
  return tail.latin1Slice(tail.length - lastChunk.length) === lastChunk;
}

// Returns the number of bytes of the answer, or 'chunked' if the answer comes in HTTP chunks. Returns undefined while
// the head is not complete.
function findEnd(buffer) {
  const headEnd = buffer.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const head = buffer.latin1Slice(0, headEnd);
  const bodyStart = headEnd + 4;
  const status = Number(head.slice(9, 12));
  if (status === 204 || status === 304) return bodyStart;
  const length = /\r\ncontent-length: *(\d+)/i.exec(head);
  return length ? bodyStart + Number(length[1]) : 'chunked';
}

function readAnswer(buffer) {
  const headEnd = buffer.indexOf('\r\n\r\n');
  const [first, ...lines] = buffer.toString('latin1', 0, headEnd).split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const isChunked = headers.some(([name, value]) => /^transfer-encoding$/i.test(name) && value === 'chunked');
  const body = isChunked ? readChunks(buffer, headEnd + 4) : buffer.toString('utf8', headEnd + 4);
  return { status: Number(first.slice(9, 12)), headers, body, bytes: buffer.length };
}

function readChunks(buffer, from) {
  const parts = [];
  for (let at = from; ; ) {
    const lineEnd = buffer.indexOf('\r\n', at);
    const size = Number.parseInt(buffer.latin1Slice(at, lineEnd), 16);
    if (size === 0) return Buffer.concat(parts).toString('utf8');
    parts.push(buffer.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}
