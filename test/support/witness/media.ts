/** The most specific of the described media types that matches a content type. Undefined if none matches. */
export function describedMedia(contentType: string, described: readonly string[]): string | undefined {
  const sent = parseMedia(contentType);
  return described
    .map((name) => ({ name, media: parseMedia(name) }))
    .filter(({ media }) => isFor(media, sent))
    .sort((a, b) => b.media.parameters.size - a.media.parameters.size)[0]?.name;
}

interface Media {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

function parseMedia(text: string): Media {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim());
  const pairs = parameters.map((parameter) => parameter.split('=', 2).map((side) => side.trim().toLowerCase()));
  return { type: type.toLowerCase(), parameters: new Map(pairs.map(([name = '', value = '']) => [name, value])) };
}

/** Parameters that describe the transfer and not the content. */
const ofTransfer = new Set(['streaming', 'charset', 'boundary']);

/**
 * Whether a sent media type matches a described media type. A described type without parameters matches any parameters.
 * Any other described type matches only if the sent type has the same parameters. Parameters of the sent type that
 * describe only the transfer are ignored.
 */
function isFor(described: Media, sent: Media): boolean {
  if (described.type !== sent.type) return false;
  if (described.parameters.size === 0) return true;
  const own = [...sent.parameters].filter(([name]) => !ofTransfer.has(name));
  return (
    own.length === described.parameters.size && own.every(([name, value]) => described.parameters.get(name) === value)
  );
}
