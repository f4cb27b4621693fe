import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { apiResponse } from '../../client/api.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Loading } from '../../components/empty.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { Markdown } from './markdown.tsx';

export interface RuleDialogProps {
  readonly rule: string;
  readonly onClose: () => void;
}

/** The page of a rule in the documentation. */
export function RuleDialog({ rule, onClose }: RuleDialogProps): JSX.Element {
  const [text, setText] = useState<string>();
  const [fault, setFault] = useState<unknown>();
  useEffect(() => {
    apiResponse(`docs/advisor/${encodeURIComponent(rule)}`)
      .then((response) => response.text())
      .then(setText, setFault);
  }, [rule]);
  return (
    <Dialog title={rule} width="wide" onClose={onClose}>
      {fault !== undefined && <ErrorBox error={fault} />}
      {text === undefined && fault === undefined && <Loading />}
      {text !== undefined && <Markdown text={text.replace(/^# .*\n/, '')} />}
    </Dialog>
  );
}
