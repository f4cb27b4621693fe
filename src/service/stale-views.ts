import type { EntityKey, EntityRecord } from '../model/entity.ts';
import { pageBytesMax, pageEntitiesMax, pageTimeMsMax } from '../model/limits.ts';
import { tableLookup } from '../model/table-name.ts';
import type { MachineTime, ModelTime } from '../model/time.ts';
import { matchesEntity } from '../query/match.ts';
import type {
  AccountStore,
  AccountView,
  FindTableOutcome,
  GetOutcome,
  ScanOutcome,
  ScanParams,
  Store,
} from '../storage/store.ts';

/** The part of an account that reads of entities need. */
type EntityReads = Pick<AccountStore, 'findTable' | 'get' | 'scan'>;

export interface StaleViewsOptions {
  readonly store: Pick<Store, 'account' | 'names'>;
  /** Measures the age of a view. */
  readonly modelTime: Pick<ModelTime, 'monotonicMs'>;
  /** Measures how long a page takes. */
  readonly machineTime: Pick<MachineTime, 'monotonicMs'>;
}

interface HeldView {
  readonly view: AccountView;
  readonly openedMs: number;
  readers: number;
  /** Whether a newer view has replaced this view, or all views were ended. */
  isOver: boolean;
}

/**
 * The data of accounts at earlier moments, one view per account. While a rule asks for stale data, reads from the
 * secondary endpoint use these views.
 */
export class StaleViews {
  readonly #options: StaleViewsOptions;
  readonly #views = new Map<string, Promise<HeldView>>();
  #isOn = false;

  constructor(options: StaleViewsOptions) {
    this.#options = options;
  }

  /** Opens a view of each account that was ever used. Does nothing if the views are already open. */
  async begin(): Promise<void> {
    if (this.#isOn) return;
    this.#isOn = true;
    const names = await this.#options.store.names();
    await Promise.all(names.map((account) => this.#viewOf(account, Number.POSITIVE_INFINITY)));
  }

  /** Ends all views. */
  end(): void {
    this.#isOn = false;
    for (const [account, view] of this.#views) this.#retire(account, view);
  }

  /** An account as it was at a moment at most `ms` milliseconds ago. */
  readsOf(account: string, ms: number): EntityReads {
    const read = <Result>(work: (view: AccountView) => Promise<Result>): Promise<Result> =>
      this.#read(account, { ms, work });
    const { machineTime } = this.#options;
    return {
      findTable: (table) => read(async (view) => findIn(view, table)),
      get: (table, key) => read((view) => getIn(view, { table, key })),
      scan: (params) => read((view) => scanIn(view, params, machineTime)),
    };
  }

  async #read<Result>(
    account: string,
    { ms, work }: { readonly ms: number; readonly work: (view: AccountView) => Promise<Result> },
  ): Promise<Result> {
    const held = await this.#viewOf(account, ms);
    try {
      return await work(held.view);
    } finally {
      held.readers--;
      closeIfOver(held);
    }
  }

  /** The account's view, with one more reader. */
  async #viewOf(account: string, ms: number): Promise<HeldView> {
    for (;;) {
      const known = this.#views.get(account);
      const opening = known ?? this.#open(account);
      const held = await opening;
      const isFresh = this.#options.modelTime.monotonicMs() - held.openedMs <= ms;
      if (known === undefined || (isFresh && !held.isOver)) {
        held.readers++;
        return held;
      }
      if (this.#views.get(account) === known) this.#retire(account, known);
    }
  }

  #open(account: string): Promise<HeldView> {
    const { store, modelTime } = this.#options;
    const isOver = !this.#isOn;
    const openedMs = modelTime.monotonicMs();
    const opening = store
      .account(account)
      .openView()
      .then((view): HeldView => ({ view, openedMs, readers: 0, isOver }));
    if (isOver) return opening;
    this.#views.set(account, opening);
    opening.catch(() => this.#views.delete(account));
    return opening;
  }

  #retire(account: string, opening: Promise<HeldView>): void {
    this.#views.delete(account);
    void opening.then(
      (held) => {
        held.isOver = true;
        closeIfOver(held);
      },
      () => undefined,
    );
  }
}

function closeIfOver({ view, readers, isOver }: HeldView): void {
  // The error is ignored: if the store fails, the next reader gets the error too.
  if (isOver && readers === 0) void view.close().catch(() => undefined);
}

function findIn({ tables }: AccountView, name: string): FindTableOutcome {
  const table = tables.find((one) => tableLookup(one.name) === tableLookup(name));
  // Nothing reads the time when the table was created.
  return table ? { kind: 'found', table: { name: table.name, createdAt: '' } } : { kind: 'tableMissing' };
}

async function getIn(
  view: AccountView,
  { table, key }: { readonly table: string; readonly key: EntityKey },
): Promise<GetOutcome> {
  if (findIn(view, table).kind !== 'found') return { kind: 'tableMissing' };
  const bounds = { limit: 1, bytesMax: pageBytesMax, timeMsMax: pageTimeMsMax };
  const { entities } = await view.scan({ table, range: { from: key }, ...bounds });
  const [entity] = entities;
  const isFound = entity?.partitionKey === key.partitionKey && entity.rowKey === key.rowKey;
  return isFound && entity ? { kind: 'found', entity } : { kind: 'missing' };
}

/** Reads a page of a view. It charges no capacity, because the capacity model does not cover the secondary. */
async function scanIn(
  view: AccountView,
  { table, range, filter, limit, bytesMax, timeMsMax }: ScanParams,
  time: Pick<MachineTime, 'monotonicMs'>,
): Promise<ScanOutcome> {
  if (findIn(view, table).kind !== 'found') return { kind: 'tableMissing' };
  const entities: EntityRecord[] = [];
  const endMs = time.monotonicMs() + timeMsMax;
  let visited = 0;
  let { from } = range;
  for (;;) {
    const bounds = { limit: filter ? pageEntitiesMax : limit + 1, bytesMax, timeMsMax };
    const page = await view.scan({ table, range: { ...range, ...(from && { from }) }, ...bounds });
    for (const entity of page.entities) {
      const isSelected = !filter || matchesEntity(filter, entity);
      if (isSelected && entities.length === limit) {
        return { kind: 'page', entities, next: keyOf(entity), visited, end: 'limit' };
      }
      visited++;
      if (isSelected) entities.push(entity);
    }
    from = page.next;
    if (!from) return { kind: 'page', entities, visited, end: 'range' };
    if (time.monotonicMs() >= endMs) return { kind: 'page', entities, next: from, visited, end: 'time' };
  }
}

const keyOf = ({ partitionKey, rowKey }: EntityKey): EntityKey => ({ partitionKey, rowKey });
