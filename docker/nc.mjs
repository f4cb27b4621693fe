#!/usr/bin/env node
// `nc -z [-v] [-w seconds] host port…`: whether something listens there, as the health checks of compose files ask. Nothing else of nc.
import { connect } from 'node:net';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: {
    z: { type: 'boolean', short: 'z' },
    v: { type: 'boolean', short: 'v' },
    w: { type: 'string', short: 'w' },
  },
});
const [host, ...ports] = positionals;
if (!values.z || ports.length === 0) {
  console.error('usage: nc -z [-v] [-w seconds] host port… (a stand-in: it only tells whether a port is open)');
  process.exit(2);
}

const say = (line) => values.v && console.error(line);
const isOpen = (port) =>
  new Promise((resolve) => {
    const socket = connect({ host, port: Number(port), timeout: Number(values.w ?? 10) * 1000 });
    const end = (found) => {
      socket.destroy();
      say(`${host} ${port} ${found ? 'open' : 'closed'}`);
      resolve(found);
    };
    socket
      .on('connect', () => end(true))
      .on('error', () => end(false))
      .on('timeout', () => end(false));
  });
const found = await Promise.all(ports.map(isOpen));
process.exit(found.every(Boolean) ? 0 : 1);
