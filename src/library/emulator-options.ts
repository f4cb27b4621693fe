import type { AccountKeys } from '../auth/account-keys.ts';
import type { CapacitySettings, ThrottleMode } from '../capacity/capacity-settings.ts';
import type { VersionPolicy } from '../protocol/service-version.ts';
import type { PageBoundaries } from '../query/page-boundaries.ts';
import type { Durability } from '../storage/durability.ts';

export interface EmulatorOptions {
  /** Port to listen on. Default 0: any free one. */
  readonly port?: number;
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host?: string;
  /** Serve HTTPS: a certificate and its key, as PEM texts. Default: HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Folder of the data, created when missing. Naming one means keeping the data. */
  readonly location?: string;
  /** Keep everything in memory. Default true, unless `location` is given. */
  readonly inMemory?: boolean;
  /** What a written answer promises on disk; see Durability. Default `process`. */
  readonly durability?: Durability;
  /**
   * Accounts and their keys, base64; or `any`: every name the service could have, with the development key, so that
   * parallel workers take one each. Default: the development account that every Azure SDK knows.
   */
  readonly accounts?: readonly AccountKeys[] | 'any';
  /**
   * Which `x-ms-version` is taken: the service's own list (`known`), also well-formed newer ones (`newer`), or whatever
   * is sent (`any`). Default `newer`.
   */
  readonly apiVersions?: VersionPolicy;
  /** Take what the service is documented to refuse, where the meaning is plain (docs/differences.md). Default false. */
  readonly loose?: boolean;
  /** How long the name of a deleted table answers TableBeingDeleted, in milliseconds. Default 0. */
  readonly tableDeleteDelayMs?: number;
  /** Tell callers on this machine in the header `x-emulator-explain-auth` why they are refused. Default false. */
  readonly explainAuth?: boolean;
  /** What Get Table Service Stats says of the secondary. Default `live`. */
  readonly secondary?: 'live' | 'bootstrap' | 'unavailable';
  /** How far it says that the secondary is behind, in milliseconds. Default 0. */
  readonly replicaLagMs?: number;
  /**
   * Where a page of a query may end before it is full: nowhere, with every partition (`partition`), or where the capacity
   * model has parted the table (`range`, not beside `throttle: 'off'`), maybe empty and with a continuation, as pages of the
   * service may. Default `none`.
   */
  readonly pageBoundaries?: PageBoundaries;
  /**
   * What of the service's scalability targets: nothing (`off`), counted and reported (`observe`), or refused as the
   * service would with 503 ServerBusy and 500 OperationTimedOut (`enforce`). Default `observe`.
   */
  readonly throttle?: ThrottleMode;
  /** Targets and times of the capacity model, in units of 1 KiB a second and in milliseconds (docs/capacity.md). */
  readonly capacity?: Partial<Omit<CapacitySettings, 'throttle'>>;
  /** Seconds that a busy answer asks to wait, as `Retry-After`, which the service does not send. Default 0: not sent. */
  readonly retryAfterSeconds?: number;
  /** Requests that are answered at a time; one more gets 503 ServerBusy at once. Default 10,000. */
  readonly requestsInFlightMax?: number;
  /**
   * Token that requests to `/_emulator/` must carry, 16 to 1024 characters of visible ASCII. Without one they are taken
   * from this machine only, and from nowhere when `host` is beyond loopback.
   */
  readonly controlToken?: string;
}
