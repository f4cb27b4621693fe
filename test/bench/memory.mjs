// Resident memory of Tanzanite after so many single inserts of 1 KB, all over the table.
import { askAll, askOnce } from './client.mjs';
import { serialMark } from './entities.mjs';
import { readResidentBytes, settle } from './processor-time.mjs';
import { createTable, insert } from './requests.mjs';
import { startTanzanite } from './servers.mjs';

const table = 'writes';
const connections = 16;
const variants = 1_000;

// Bytes; nothing where the system does not tell.
export async function measureMemory({ writes }) {
  const server = await startTanzanite();
  const bytes = await writeAndRead({ server, writes });
  await server.stop();
  return bytes;
}

async function writeAndRead({ server: { name, port, pid }, writes }) {
  await askOnce({ port, request: createTable({ port, table }) });
  const templates = Array.from({ length: variants }, () =>
    insert({ port, table, entities: writes, pick: (limit) => Math.floor(Math.random() * limit) }),
  );
  let sent = 0;
  const next = () => {
    if (sent === writes) return undefined;
    const template = templates[sent % templates.length];
    return template.replaceAll(serialMark, String(++sent).padStart(serialMark.length, '0'));
  };
  const check = ({ status, body }) => {
    if (status !== 204) throw new Error(`${name} refused an insert: ${status} ${body.slice(0, 300)}`);
  };
  await askAll({ port, next, check, connections });
  await settle(pid);
  return readResidentBytes(pid);
}
