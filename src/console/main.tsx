// The console: a client of the emulator that runs in a browser. It reads and writes data like every other client, through
// the table service with a short-lived signature. Everything else comes from the control plane. From the server's modules,
// it imports only types and the files that scripts/browser-safe.json lists.

import { render } from 'preact';
import { App } from './shell/app.tsx';
import { startTheme } from './theme.ts';

startTheme();
const root = document.getElementById('root');
if (root) render(<App />, root);
