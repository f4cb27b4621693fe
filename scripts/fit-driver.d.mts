interface Clone {
  /** Its folder; this one by default. */
  readonly root?: string;
  /** The version of Node-API; that of this process by default. */
  readonly napi?: number;
}

export function driverFits(clone?: Clone): boolean;
export function fitDriver(clone?: Clone & { readonly env?: Readonly<Record<string, string | undefined>> }): void;
export function lockedDriver(root: string): string;
export function prepare(): void;
