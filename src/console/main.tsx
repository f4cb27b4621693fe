// The console: a client of the emulator that runs in a browser. It reads and writes data as every client does, through the table
// service with a short-lived signature, and asks the control plane for the rest. It imports no code of the server, only types.

import { render } from 'preact';
import { App } from './shell/app.tsx';
import { startTheme } from './theme.ts';

startTheme();
const root = document.getElementById('root');
if (root) render(<App />, root);
