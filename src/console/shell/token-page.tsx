import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { tokenFault, tryToken } from '../client/api.ts';
import { loadEmulator } from '../client/emulator.ts';
import { Button } from '../components/button.tsx';
import { ErrorBox } from '../components/error-box.tsx';
import { TextField } from '../components/field.tsx';
import { Logo } from './navigation.tsx';

/** Asks for the control token. It is kept for the tab, and never part of an address. */
export function TokenPage(): JSX.Element {
  const [text, setText] = useState('');
  const [isWrong, setWrong] = useState(tokenFault.peek() === 'wrong');
  const [fault, setFault] = useState<unknown>();
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setFault(undefined);
    try {
      const isRight = await tryToken(text.trim());
      setWrong(!isRight);
      if (isRight) await loadEmulator();
    } catch (error) {
      setFault(error);
    }
  };
  return (
    <main class="lone">
      <form class="card token-form" onSubmit={(event) => void submit(event)}>
        <Logo />
        <h1>This emulator asks for its control token</h1>
        <p class="muted">
          It is the value of <code>--control-token</code> or of <code>TANZANITE_CONTROL_TOKEN</code>. The console keeps
          it until this tab is closed.
        </p>
        <TextField
          label="Control token"
          type="password"
          value={text}
          onInput={setText}
          isRequired
          fault={isWrong ? 'The emulator was started with another token.' : undefined}
        />
        {fault !== undefined && <ErrorBox error={fault} />}
        <Button kind="primary" type="submit" icon="key">
          Open the console
        </Button>
      </form>
    </main>
  );
}
