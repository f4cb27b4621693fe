// Parses pages of Markdown: fenced blocks with the comments directly above them, headings and links.

export interface Block {
  readonly language: string;
  readonly text: string;
  /** The line number of its opening fence, counted from 1. */
  readonly line: number;
  /** Why it is not run: the comment `<!-- not run: … -->` directly above it. */
  readonly whyNotRun?: string;
  /** Whether it is the output of the previous block: it has the comment `<!-- output -->` directly above it. */
  readonly isOutput: boolean;
}

const fence = /^(\s*)(`{3,}|~{3,})\s*([\w+-]*)/;
const remarkPattern = /^\s*<!--\s*(.*?)\s*-->\s*$/;

export function readBlocks(page: string): Block[] {
  const lines = page.split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [, indent = '', marks, language = ''] = fence.exec(lines[at] ?? '') ?? [];
    if (marks === undefined) continue;
    const end = lines.findIndex((line, index) => index > at && line.trim() === marks);
    if (end === -1) throw new Error(`the block of line ${at + 1} is never closed`);
    const text = lines.slice(at + 1, end).map((line) => line.slice(indent.length));
    blocks.push({ language, text: `${text.join('\n')}\n`, line: at + 1, ...readRemark(lines[at - 1] ?? '') });
    at = end;
  }
  return blocks;
}

function readRemark(line: string): Pick<Block, 'whyNotRun' | 'isOutput'> {
  const [, remark = ''] = remarkPattern.exec(line) ?? [];
  const [, reason] = /^not run:?\s*(.*)$/.exec(remark) ?? [];
  return { isOutput: remark === 'output', ...(reason === undefined ? {} : { whyNotRun: reason }) };
}

/** The targets of a page's links that are not on another host. */
export function readLinks(page: string): string[] {
  const targets = [...withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

/** The files of the light and dark pictures that a page shows with HTML elements. */
export function readPictures(page: string): string[] {
  return [...withoutCode(page).matchAll(/<(?:img|source)\b[^>]*?\bsrc(?:set)?="([^"]+)"/g)].map(
    ([, file = '']) => file,
  );
}

/** The anchors that GitHub makes for the headings of a page. */
export function readAnchors(page: string): string[] {
  const seen = new Map<string, number>();
  return [...withoutBlocks(page).matchAll(/^#{1,6}\s+(.+)$/gm)].map(([, heading = '']) => {
    const plain = heading.trim().replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    const slug = plain
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  });
}

const withoutBlocks = (page: string): string => page.replace(/^(\s*)(`{3,})[\s\S]*?^\s*\2\s*$/gm, '');
const withoutCode = (page: string): string => withoutBlocks(page).replace(/`[^`\n]+`/g, '');

/** Compares an output block with printed text. In the block, `…` stands for any text, which may be empty. */
export function isOutputOf(block: string, printed: string): boolean {
  const pattern = block.trim().split('…').map(escapePattern).join('[\\s\\S]*?');
  return new RegExp(`^${pattern}$`).test(printed.trim());
}

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The arguments of each line that calls `tanzanite`. */
export function tanzaniteCommands(text: string): string[][] {
  const calls = text.matchAll(/(?:^|[\s;&|("'])tanzanite[ \t]+((?:"[^"]*"|'[^']*'|[^\s&|;<>"'()]+|[ \t])*)/g);
  return [...calls].map(([, words = '']) =>
    [...words.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
      ([, double, single, plain]) => double ?? single ?? plain ?? '',
    ),
  );
}

/** Whether the brackets outside strings and comments are balanced. */
export function isBalanced(source: string): boolean {
  const code = source.replace(/"(?:\\.|[^"\\])*"/g, '""').replace(/\/\/.*$/gm, '');
  const partners: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
  const open: string[] = [];
  for (const [bracket] of code.matchAll(/[()[\]{}]/g)) {
    const partner = partners[bracket];
    if (partner === undefined) open.push(bracket);
    else if (open.pop() !== partner) return false;
  }
  return open.length === 0;
}
