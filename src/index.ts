// The public API of the library, which runs an emulator in the process of a test (docs/library.md). The helper packages
// for test runners use this API.

/// <reference lib="esnext.disposable" preserve="true" />

export type { AdvisorRules } from './advisor/advisor-rules.ts';
export type {
  AdvisorReport,
  ChecklistRow,
  ChecklistStatus,
  Cost,
  Evidence,
  Finding,
  Ignore,
  IgnoredFinding,
  ReportOptions,
  Severity,
  Source,
  TableUse,
} from './advisor/report.ts';
export type { RuleId } from './advisor/thresholds.ts';
export type {
  AccountReport,
  CapacityReport,
  HotPartitionReport,
  RangeReport,
  TableReport,
} from './capacity/capacity-report.ts';
export type { CapacityModelOptions, CapacitySettings, ThrottleMode } from './capacity/capacity-settings.ts';
export type {
  Fault,
  FaultKind,
  FaultMatch,
  FaultPlace,
  FaultRule,
  FaultRuleReport,
  FaultWhen,
} from './faults/fault-rule.ts';
export type { PrincipalRole } from './identity/principal-role.ts';
export { type EmulatorAccount, freshAccount } from './library/account.ts';
export type { ClockAccess } from './library/clock-access.ts';
export { type Advised, expectNoFindings, type FindingsOptions } from './library/expect-no-findings.ts';
export type { AddedFault, FaultAccess } from './library/fault-access.ts';
export type { ExportOptions, ExportSummary, FileSummary, SeedOptions } from './library/file-options.ts';
export type {
  EmulatorPrincipal,
  IdentityAccess,
  PrincipalOptions,
  PrincipalTokenOptions,
} from './library/identity-access.ts';
export { type AdvisorAccess, type Emulator, startEmulator } from './library/start-emulator.ts';
export type { StartOptions } from './library/start-options.ts';
export type { AccountKeys } from './model/account-keys.ts';
export type { ClockState } from './model/clock-state.ts';
export type { EmulatorLog } from './model/emulator-log.ts';
export type { BatchReport, RequestReport } from './model/request-report.ts';
export type { ResetTarget } from './model/reset-target.ts';
export type { Snapshot, SnapshotTarget } from './model/snapshot.ts';
export type { VersionPolicy } from './protocol/service-version.ts';
export type { PageBoundaries } from './query/page-boundaries.ts';
export type { EmulatorOptions } from './settings/emulator-options.ts';
export type { Durability } from './storage/durability.ts';
export { StoreUnavailable, type StoreUnavailableReason } from './storage/store-unavailable.ts';
