import type { ThrottleOptions } from '../capacity/capacity-settings.ts';
import type { AccessOptions } from './access-settings.ts';
import type { AddressOptions } from './address-settings.ts';
import type { AdvisorOptions } from './advisor-settings.ts';
import type { CompatibilityOptions } from './compatibility-settings.ts';
import type { DataOptions } from './data-settings.ts';
import type { IdentityOptions } from './identity-settings.ts';
import type { ProductionOptions } from './production-settings.ts';
import type { ProfileOptions } from './profile-settings.ts';
import type { RecordingOptions } from './recording-settings.ts';
import type { TraceOptions } from './trace-settings.ts';

/** The options of `startEmulator()`. All are optional; docs/settings.md lists them next to the flags of the command line. */
export interface EmulatorOptions
  extends AddressOptions,
    DataOptions,
    AccessOptions,
    IdentityOptions,
    CompatibilityOptions,
    ProductionOptions,
    ThrottleOptions,
    AdvisorOptions,
    RecordingOptions,
    TraceOptions,
    ProfileOptions {}
