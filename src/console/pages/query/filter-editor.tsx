import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { FilterFault } from './explained.ts';
import type { EditorHandle } from './filter-editor-view.ts';
import type { SampledProperty } from './samples.ts';

export interface FilterEditorProps {
  /** The initial text. Whenever it changes, it replaces what is in the editor. */
  readonly text: string;
  readonly fault: FilterFault | undefined;
  readonly samples: readonly SampledProperty[];
  readonly onInput: (text: string) => void;
  readonly onRun: () => void;
}

/** The code of the editor is fetched when it is first shown. */
export function FilterEditor(props: FilterEditorProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorHandle | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    let isOver = false;
    const mount = async (): Promise<void> => {
      const { mountFilterEditor } = await import('./filter-editor-view.ts');
      if (isOver || !host.current) return;
      editor.current = mountFilterEditor(host.current, {
        label: 'Filter',
        onInput: (text) => latest.current.onInput(text),
        onRun: () => latest.current.onRun(),
        samples: () => latest.current.samples,
      });
      editor.current.setText(latest.current.text);
      editor.current.setFault(latest.current.fault);
    };
    void mount();
    return () => {
      isOver = true;
      editor.current?.close();
    };
  }, []);
  const { text, fault } = props;
  // Set only when the address changes. Text that came back from the editor may be older than what is in it now.
  useLayoutEffect(() => editor.current?.setText(text), [text]);
  useEffect(() => editor.current?.setFault(fault), [fault]);
  return <div ref={host} class="filter-editor" />;
}
