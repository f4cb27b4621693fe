interface Clone {
  /** The folder of the clone. By default, this clone. */
  readonly root?: string;
  /** The version of Node-API. By default, that of this process. */
  readonly napi?: number;
}

export function driverFits(clone?: Clone): boolean;
export function fitDriver(clone?: Clone & { readonly env?: Readonly<Record<string, string | undefined>> }): void;
export function lockedDriver(root: string): string;
export function prepare(): void;
