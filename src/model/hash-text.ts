/** FNV-1a over UTF-16 code units with the last mixing step of MurmurHash3, 32 bits. */
export function hashText(text: string, start = 0x811c9dc5): number {
  let hash = start | 0;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
