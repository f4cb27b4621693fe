// The console in headless Chromium, over an emulator that only the test file uses.

import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TableClient, TableServiceClient } from '@azure/data-tables';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../src/index.ts';

const executablePath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'chromium'))
  .find(isExecutable);

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The end of a suite's title. It is empty if Chromium is installed. */
export const skipReason = executablePath === undefined ? ': skipped, chromium is not installed' : '';

export type Theme = 'light' | 'dark';

export interface OpenOptions {
  readonly theme?: Theme;
  readonly width?: number;
  readonly height?: number;
  /** By default `en-GB`. */
  readonly locale?: string;
}

/** A console over an emulator in memory. Both are stopped after the last test of the file. */
export interface ConsoleBrowser {
  emulator(): Emulator;
  /** Opens a tab without stored data, at an address of the console such as `tables/devstoreaccount1/pets`. */
  open(address: string, options?: OpenOptions): Promise<ConsolePage>;
  /** A client of the SDK for a table of the first account. */
  table(name: string): TableClient;
  createTable(name: string): Promise<TableClient>;
}

export interface ConsolePage {
  readonly page: Page;
  /** The page's errors and warnings so far, including violations of its content security policy. */
  readonly faults: readonly string[];
  /** The addresses of all requests so far. */
  readonly requests: readonly string[];
  /** Goes to another address of the console, as a link does. */
  go(address: string): Promise<void>;
  /** Loads an address of the console in the same tab, which takes half the time of a new tab. */
  load(address: string): Promise<void>;
}

let started: Promise<Browser> | undefined;

/** The one browser of all test files in this process. It ends with the process. */
const startBrowser = (): Promise<Browser> =>
  (started ??= chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] }));

/**
 * Tabs that are open but not in use, by locale. A page that is loaded in one of these tabs takes a sixth of the
 * processor time that it takes in a new tab.
 */
const idleTabs = new Map<string, Page[]>();

async function takeTab({ theme = 'light', width = 1280, height = 800, locale = 'en-GB' }: OpenOptions): Promise<Page> {
  const page = idleTabs.get(locale)?.pop() ?? (await openTab(locale));
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: theme });
  return page;
}

async function openTab(locale: string): Promise<Page> {
  const permissions = ['clipboard-read', 'clipboard-write'];
  const page = await (await (await startBrowser()).newContext({ locale, permissions })).newPage();
  // A timeout that is long enough for a busy machine. No test expects it to pass.
  page.setDefaultTimeout(30_000);
  return page;
}

/** Removes all that a test left in a tab, so that the next test cannot see a difference from a new one. */
async function leaveTab(page: Page, locale: string): Promise<void> {
  const context = page.context();
  if (page.isClosed() || context.pages().length > 1) return context.close();
  for (const event of ['console', 'dialog', 'pageerror', 'request', 'response'] as const)
    page.removeAllListeners(event);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.evaluate(() => {
    window.localStorage.clear();
    window.sessionStorage.clear();
  });
  await page.mouse.move(0, 0);
  await page.goto('about:blank');
  idleTabs.set(locale, [...(idleTabs.get(locale) ?? []), page]);
}

/** Call this at the beginning of a suite. */
export function useConsole(options: EmulatorOptions = {}): ConsoleBrowser {
  let emulator: Emulator;
  const leave: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    emulator = await startEmulator(options);
  });
  // A page that no test uses would continue to draw.
  let kept = 0;
  beforeEach(() => {
    kept = leave.length;
  });
  afterEach(async () => {
    for (const step of leave.splice(kept)) await step();
  });
  afterAll(async () => {
    for (const step of leave) await step();
    await emulator?.close();
  });
  const table = (name: string): TableClient =>
    TableClient.fromConnectionString(emulator.connectionString, name, { allowInsecureConnection: true });
  return {
    emulator: () => emulator,
    table,
    async createTable(name) {
      const service = TableServiceClient.fromConnectionString(emulator.connectionString, {
        allowInsecureConnection: true,
      });
      await service.createTable(name);
      return table(name);
    },
    async open(address, open = {}) {
      const page = await takeTab(open);
      leave.push(() => leaveTab(page, open.locale ?? 'en-GB'));
      return watch(page, { emulator, address });
    },
  };
}

async function watch(
  page: Page,
  { emulator, address }: { readonly emulator: Emulator; readonly address: string },
): Promise<ConsolePage> {
  const [faults, requests]: [string[], string[]] = [[], []];
  page.on('console', (message) => {
    // If the page shows a refusal, that is not a fault of the page.
    const isRefusal = message.text().startsWith('Failed to load resource: the server responded with a status of 4');
    if (['error', 'warning'].includes(message.type()) && !isRefusal) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => requests.push(request.url()));
  const url = (hash: string): string => `${emulator.url}/_emulator/console#/${hash}`;
  const load = async (next: string): Promise<void> => {
    await page.goto(url(next));
    await page.locator('h1').waitFor();
  };
  await load(address);
  return {
    page,
    faults,
    requests,
    async go(next) {
      await page.evaluate((hash) => {
        window.location.hash = hash;
      }, `#/${next}`);
      await page.locator('h1').waitFor();
    },
    async load(next) {
      // If only the fragment of the address changes, the browser does not load the page again. Opening a blank page
      // first makes the browser load the page.
      await page.goto('about:blank');
      await load(next);
    },
  };
}

/** Waits until no part of the page says that it is loading. */
export const expectLoaded = (page: Page): Promise<void> => expect.poll(() => page.locator('.loading').count()).toBe(0);

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

interface AxeViolation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/**
 * Expects that axe finds no fault in the current state of the page. axe checks the rules of WCAG 2.2 AA and its own
 * best practices.
 */
export async function expectAccessible(page: Page): Promise<void> {
  // The debugger evaluates this script, so the page's content security policy does not block it.
  if (await page.evaluate(() => !('axe' in window))) await page.evaluate(axe);
  const violations = await page.evaluate(async () => {
    const { axe: checker } = window as unknown as {
      axe: { run(context: Document, options: object): Promise<{ violations: AxeViolation[] }> };
    };
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    return (await checker.run(document, { runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'] }))
      .violations;
  });
  const lines = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 200)}: ${failureSummary}`),
  );
  expect(lines).toEqual([]);
}
