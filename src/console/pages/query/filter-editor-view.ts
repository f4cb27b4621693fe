// The editor of filters: CodeMirror in a shadow root. In a shadow root, CodeMirror uses constructed style sheets, which
// the policy of the page permits. In the page itself, CodeMirror would add a style element, which the policy forbids.

import { acceptCompletion, autocompletion, completionKeymap, startCompletion } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, insertNewline } from '@codemirror/commands';
import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, placeholder } from '@codemirror/view';
import { visibleText } from '../../format.ts';
import type { FilterFault } from './explained.ts';
import { filterColours } from './filter-colours.ts';
import { completeFilter } from './filter-completion.ts';
import { editorTheme } from './filter-theme.ts';
import type { SampledProperty } from './samples.ts';

export interface EditorOptions {
  /** The name for screen readers. */
  readonly label: string;
  readonly onInput: (text: string) => void;
  readonly onRun: () => void;
  readonly samples: () => readonly SampledProperty[];
}

export interface EditorHandle {
  setText(text: string): void;
  setFault(fault: FilterFault | undefined): void;
  close(): void;
}

export function mountFilterEditor(host: HTMLElement, options: EditorOptions): EditorHandle {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const view = new EditorView({ root, parent: root, state: EditorState.create({ extensions: extensionsOf(options) }) });
  let shown: FilterFault | undefined;
  return {
    setText(text) {
      const before = view.state.doc.toString();
      if (text !== before) view.dispatch({ changes: { from: 0, to: before.length, insert: text } });
    },
    setFault(fault) {
      if (fault === shown) return;
      shown = fault;
      view.dispatch(setDiagnostics(view.state, fault ? [diagnosticOf(fault, view.state.doc.length)] : []));
    },
    close: () => view.destroy(),
  };
}

/** If the place is between two characters, the character before it is marked, or the first one at the beginning. */
function diagnosticOf({ place, message, hints }: FilterFault, length: number): Diagnostic {
  const start = Math.min(place?.start ?? 0, length);
  const end = Math.min(place?.end ?? length, length);
  const from = start === end ? Math.max(0, start - 1) : start;
  const to = start === end && from === start ? Math.min(length, start + 1) : end;
  return { from, to, severity: 'error', message: visibleText([message, ...hints].join(' ')) };
}

function extensionsOf({ label, onInput, onRun, samples }: EditorOptions) {
  const run = (): boolean => {
    onRun();
    return true;
  };
  return [
    history(),
    autocompletion({
      override: [completeFilter(samples)],
      icons: false,
      maxRenderedOptions: 60,
      activateOnCompletion: ({ type }) => type !== undefined,
    }),
    keymap.of([
      { key: 'Enter', run: (view) => acceptCompletion(view) || run() },
      { key: 'Mod-Enter', run },
      { key: 'Shift-Enter', run: insertNewline },
      { key: 'Ctrl-Space', run: startCompletion },
      ...completionKeymap,
      ...historyKeymap,
      ...defaultKeymap,
    ]),
    filterColours,
    editorTheme,
    placeholder("PartitionKey eq 'a' and RowKey ge 'b'"),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({
      'aria-label': label,
      autocapitalize: 'off',
      autocorrect: 'off',
      spellcheck: 'false',
    }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) onInput(state.doc.toString());
    }),
  ];
}
