import type { Variant } from './explain-signature.ts';
import { type SignedParts, sharedKeyLiteText, sharedKeyText } from './shared-key.ts';

/** What the text to sign is made from. */
export interface SharedKeyRecipe {
  readonly parts: SignedParts;
  readonly date: string;
  readonly isLite: boolean;
  /** Text after the last line; empty by default. */
  readonly ending?: string;
}

/** Parts of a request that are not signed. */
export interface Unsigned {
  readonly otherDate: string | undefined;
  readonly query: ReadonlyMap<string, string> | undefined;
}

interface Mistake {
  readonly name: string;
  make(recipe: SharedKeyRecipe, unsigned: Unsigned): SharedKeyRecipe;
}

/** A mistake in one of the parts. */
function inParts(name: string, change: (parts: SignedParts, unsigned: Unsigned) => Partial<SignedParts>): Mistake {
  return {
    name,
    make: (recipe, unsigned) => ({ ...recipe, parts: { ...recipe.parts, ...change(recipe.parts, unsigned) } }),
  };
}

/** Mistakes that are known from public questions about refused signatures. */
const mistakes: readonly Mistake[] = [
  { name: 'its form is that of the other scheme', make: (recipe) => ({ ...recipe, isLite: !recipe.isLite }) },
  inParts('it has the account once', ({ account, wirePath }) => {
    const [, segment = ''] = wirePath.split('/', 2);
    return segment.startsWith(account) ? { wirePath: wirePath.slice(segment.length + 1) } : {};
  }),
  inParts('it has the account doubled', ({ account, wirePath }) => ({ wirePath: `/${account}${wirePath}` })),
  inParts('its path is decoded', ({ wirePath }) => ({ wirePath: decoded(wirePath) })),
  inParts('its quotes are percent-encoded', ({ wirePath }) => ({ wirePath: wirePath.replaceAll("'", '%27') })),
  inParts('its quotes are not percent-encoded', ({ wirePath }) => ({ wirePath: wirePath.replaceAll('%27', "'") })),
  {
    name: 'it has the other date header',
    make: (recipe, { otherDate }) => ({ ...recipe, date: otherDate ?? recipe.date }),
  },
  { name: 'its date is empty, as for blobs', make: (recipe) => ({ ...recipe, date: '' }) },
  inParts('it has no comp', () => ({ comp: undefined })),
  inParts('it has the whole query', ({ wirePath }, { query }) => {
    const signed = [...(query ?? [])].filter(([name]) => name.toLowerCase() !== 'sig');
    const text = signed.map(([name, value]) => `${name}=${value}`).join('&');
    return text === '' ? {} : { wirePath: `${wirePath}?${text}`, comp: undefined };
  }),
  inParts('it has no Content-Type', () => ({ contentType: '' })),
  inParts('its Content-Type has no parameters', ({ contentType }) => ({
    contentType: contentType.split(';', 1)[0] ?? '',
  })),
  inParts('it has no Content-MD5', () => ({ contentMd5: '' })),
  { name: 'it ends with a newline', make: (recipe) => ({ ...recipe, ending: '\n' }) },
];

export function signedText({ parts, date, isLite, ending = '' }: SharedKeyRecipe): string {
  return (isLite ? sharedKeyLiteText : sharedKeyText)(parts, date) + ending;
}

/** The texts with one mistake, then the texts with two mistakes. */
export function sharedKeyVariants(recipe: SharedKeyRecipe, unsigned: Unsigned): Variant[] {
  const single = mistakes.map((mistake) => ({ mistake, recipe: mistake.make(recipe, unsigned) }));
  const double = single.flatMap((first, index) =>
    mistakes.slice(index + 1).map((second) => ({
      mistake: `${first.mistake.name} and ${second.name}`,
      text: signedText(second.make(first.recipe, unsigned)),
    })),
  );
  return [...single.map(({ mistake, recipe: made }) => ({ mistake: mistake.name, text: signedText(made) })), ...double];
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
