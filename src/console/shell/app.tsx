import { signal } from '@preact/signals';
import type { ComponentType, JSX } from 'preact';
import { useEffect, useErrorBoundary, useLayoutEffect, useRef } from 'preact/hooks';
import { tokenFault } from '../client/api.ts';
import { emulator, emulatorFault, loadEmulator } from '../client/emulator.ts';
import { Button } from '../components/button.tsx';
import { Empty, Loading } from '../components/empty.tsx';
import { ErrorBox } from '../components/error-box.tsx';
import { hrefOf, navigate, type PageProps, type Route, route } from '../router.ts';
import { Navigation } from './navigation.tsx';
import { type Page, pages } from './pages.ts';
import { StagedBanner } from './staged-banner.tsx';
import { Toasts } from './toasts.tsx';
import { TokenPage } from './token-page.tsx';

/** The shell: navigation, the page that the address names, and everything that all pages share. */
export function App(): JSX.Element {
  useEffect(() => {
    void loadEmulator();
    // Loaded at the same time as the settings, so that the first view comes sooner.
    const first = pageOf(route.peek());
    if (first) void load(first);
  }, []);
  if (tokenFault.value) return <TokenPage />;
  if (!emulator.value) return <Beginning />;
  return (
    <>
      <button type="button" class="skip-link" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <div class="shell">
        <Navigation />
        <div class="content">
          <StagedBanner />
          <main id="main" class="main" tabIndex={-1}>
            <CurrentPage />
          </main>
        </div>
      </div>
      <Toasts />
    </>
  );
}

function Beginning(): JSX.Element {
  const fault = emulatorFault.value;
  return (
    <main class="lone">
      {fault ? (
        <ErrorBox error={fault}>
          <Button onClick={() => void loadEmulator()}>Try again</Button>
        </ErrorBox>
      ) : (
        <Loading what="Connecting to the emulator" />
      )}
    </main>
  );
}

/** Code of pages, once it is fetched. */
const loaded = signal<ReadonlyMap<string, ComponentType<PageProps>>>(new Map());
const loadFault = signal<unknown>(undefined);

async function load(page: Page): Promise<void> {
  loadFault.value = undefined;
  try {
    const component = await page.load();
    loaded.value = new Map([...loaded.peek(), [page.name, component]]);
  } catch (error) {
    loadFault.value = error;
  }
}

const pageOf = ({ page }: Route): Page | undefined => pages.find(({ name }) => name === (page || 'tables'));

function CurrentPage(): JSX.Element {
  const current = route.value;
  const page = pageOf(current);
  const ref = useRef<HTMLDivElement>(null);
  const Content = page && loaded.value.get(page.name);
  useEffect(() => {
    document.title = `${page?.title ?? 'Not found'} – Tanzanite`;
    if (page && !loaded.peek().has(page.name)) void load(page);
  }, [page]);
  useFocusOnHeading(page, { isReady: Content !== undefined, ref });
  if (!page) return <NotFound />;
  if (loadFault.value !== undefined) {
    return (
      <ErrorBox error="This page could not be loaded. Is the emulator still running?">
        <Button onClick={() => void load(page)}>Try again</Button>
      </ErrorBox>
    );
  }
  return (
    <div ref={ref} class="page" key={page.name}>
      {Content ? <Guarded Content={Content} route={current} /> : <Loading />}
    </div>
  );
}

interface Focus {
  readonly isReady: boolean;
  readonly ref: { readonly current: HTMLDivElement | null };
}

/** Like a separate document, a page begins at its heading. The first page keeps the browser's focus. */
function useFocusOnHeading(page: Page | undefined, { isReady, ref }: Focus): void {
  const focused = useRef<Page | undefined>(undefined);
  // Before the browser draws: later, this would take the focus from an element that a key has reached meanwhile.
  useLayoutEffect(() => {
    if (!isReady || !page) return;
    if (focused.current && focused.current !== page) ref.current?.querySelector<HTMLElement>('h1')?.focus();
    focused.current = page;
  }, [page, isReady, ref]);
}

interface GuardedProps {
  readonly Content: ComponentType<PageProps>;
  readonly route: Route;
}

/** A page that fails leaves the navigation usable. */
function Guarded({ Content, route: current }: GuardedProps): JSX.Element {
  const [fault, reset] = useErrorBoundary();
  if (fault === undefined) return <Content route={current} />;
  return (
    <ErrorBox error={fault}>
      <Button onClick={reset}>Show the page again</Button>
    </ErrorBox>
  );
}

function NotFound(): JSX.Element {
  return (
    <Empty icon="search" title="There is no such page">
      <p>The address names a page that this console does not have.</p>
      <Button kind="primary" onClick={() => navigate(['tables'])}>
        Show the tables
      </Button>
      <p>
        <a href={hrefOf(['connect'])}>How to connect to this emulator</a>
      </p>
    </Empty>
  );
}
