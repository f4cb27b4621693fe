import type { Range } from '@codemirror/state';
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { type FilterToken, filterTokens } from './filter-tokens.ts';

const text = Decoration.mark({ class: 'filter-text' });
const number = Decoration.mark({ class: 'filter-number' });
const word = Decoration.mark({ class: 'filter-word' });

function markOf({ kind, text: content }: FilterToken): Decoration | undefined {
  if (kind === 'operator' || kind === 'connector') return word;
  if (kind !== 'literal') return undefined;
  return content.includes("'") ? text : number;
}

function marksOf(view: EditorView): DecorationSet {
  const marks: Range<Decoration>[] = [];
  for (const token of filterTokens(view.state.doc.toString())) {
    const mark = markOf(token);
    if (mark && token.end > token.start) marks.push(mark.range(token.start, token.end));
  }
  return Decoration.set(marks);
}

/** Colours for texts, numbers and the words of the language. */
export const filterColours = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = marksOf(view);
    }

    update({ docChanged, view }: ViewUpdate): void {
      if (docChanged) this.decorations = marksOf(view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);
