import type { JSX } from 'preact';
import type { SettingReport } from '../../model/setting-report.ts';
import { emulator, loadEmulator } from '../client/emulator.ts';
import { Badge } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { DataTable } from '../components/data-table.tsx';
import { Empty } from '../components/empty.tsx';
import { CheckField, TextField } from '../components/field.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Text } from '../components/text.tsx';
import { type PageProps, replaceQuery } from '../router.ts';

/** What the emulator runs with, and where each value comes from. */
export function SettingsPage({ route: { query } }: PageProps): JSX.Element {
  const words = query.get('find') ?? '';
  const isGivenOnly = query.get('given') === 'true';
  const { settings = [], location } = emulator.value ?? {};
  const shown = settings.filter((setting) => fits(setting, { words, isGivenOnly }));
  const groups = [...new Set(shown.map(({ group }) => group))];
  const show = (next: { readonly find?: string; readonly given?: string }): void =>
    replaceQuery({ find: words, given: isGivenOnly ? 'true' : undefined, ...next });
  return (
    <>
      <PageHeader
        title="Settings"
        description={
          <>
            What this emulator was started with. Its data is in{' '}
            {location ? <code>{location}</code> : 'memory and is gone when it stops'}.
          </>
        }
      >
        <Button icon="refresh" onClick={() => void loadEmulator()}>
          Refresh
        </Button>
      </PageHeader>
      <div class="toolbar settings-filter">
        <TextField
          label="Find a setting"
          isLabelHidden
          type="search"
          placeholder="Find a setting"
          value={words}
          onInput={(find) => show({ find })}
        />
        <CheckField
          label="Only those that are given"
          isChecked={isGivenOnly}
          onInput={(isChecked) => show({ given: isChecked ? 'true' : '' })}
        />
      </div>
      {shown.length === 0 && (
        <Empty icon="sliders" title="No setting fits">
          <p>{isGivenOnly ? 'Every setting that fits has its default.' : 'Try another word.'}</p>
          <Button onClick={() => show({ find: '', given: '' })}>Show all settings</Button>
        </Empty>
      )}
      {groups.map((group) => (
        <section key={group} class="card">
          <div class="card-head">
            <h2>{group}</h2>
          </div>
          <DataTable<SettingReport>
            caption={group}
            rows={shown.filter((setting) => setting.group === group)}
            keyOf={({ name }) => name}
            columns={[
              {
                name: 'Setting',
                cell: ({ name, help }) => (
                  <div class="setting-name">
                    <code>{name}</code>
                    <span class="muted">{help}</span>
                  </div>
                ),
              },
              { name: 'Value', cell: ({ value }) => <Value value={value} /> },
              { name: 'From', cell: ({ from }) => <Origin from={from} /> },
            ]}
          />
        </section>
      ))}
    </>
  );
}

interface Filter {
  readonly words: string;
  readonly isGivenOnly: boolean;
}

function fits({ name, help, value, from }: SettingReport, { words, isGivenOnly }: Filter): boolean {
  if (isGivenOnly && from.kind === 'default') return false;
  const text = `${name} ${help} ${value ?? ''} ${originText(from)}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function Value({ value }: Pick<SettingReport, 'value'>): JSX.Element {
  if (value === null) return <span class="muted">none</span>;
  if (typeof value === 'boolean') return <span>{value ? 'on' : 'off'}</span>;
  return (
    <code>
      <Text text={String(value)} />
    </code>
  );
}

function Origin({ from }: Pick<SettingReport, 'from'>): JSX.Element {
  if (from.kind === 'default') return <span class="muted">default</span>;
  const name = nameOf(from);
  return (
    <span class="setting-origin">
      <Badge tone="accent">{from.kind}</Badge>
      {name !== '' && (
        <code>
          <Text text={name} />
        </code>
      )}
    </span>
  );
}

/** The name of what sets the value: `--tablePort`, `tablePort in tanzanite.json`, `strict`. The image has no name. */
const nameOf = ({ name = '', file }: SettingReport['from']): string =>
  file === undefined ? name : `${name} in ${file}`;

const originText = (from: SettingReport['from']): string => `${from.kind} ${nameOf(from)}`;
