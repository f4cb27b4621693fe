import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { apiResponse } from '../../client/api.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { CheckField, SelectField } from '../../components/field.tsx';
import { saveFile } from '../../save-file.ts';

const formats = {
  markdown: { label: 'Markdown, for a pull request', file: 'advisor.md' },
  json: { label: 'JSON, to compare another run with', file: 'advisor.json' },
  sarif: { label: 'SARIF, for code scanning', file: 'advisor.sarif' },
  junit: { label: 'JUnit, for a test report', file: 'advisor.xml' },
} as const;

type Format = keyof typeof formats;

export function DownloadDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [format, setFormat] = useState<Format>('markdown');
  const [redacts, setRedacts] = useState(false);
  const [fault, setFault] = useState<unknown>();
  const download = async (): Promise<void> => {
    try {
      const response = await apiResponse('advisor', { query: { format, redact: redacts ? 'true' : undefined } });
      saveFile(formats[format].file, await response.blob());
      onClose();
    } catch (error) {
      setFault(error);
    }
  };
  return (
    <Dialog
      title="Download the report"
      onClose={onClose}
      onSubmit={() => void download()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" icon="download">
            Download
          </Button>
        </>
      }
    >
      <SelectField
        label="Format"
        value={format}
        onInput={(value) => setFormat(value as Format)}
        options={Object.entries(formats).map(([value, { label }]) => ({ value, label }))}
      />
      <CheckField label="Leave out keys, and values of filters" isChecked={redacts} onInput={setRedacts} />
      {fault !== undefined && <ErrorBox error={fault} />}
    </Dialog>
  );
}
