// The tests of some rows contain the value of a limit instead of its name, so a search for the name does not find these
// tests. This file lists them. Each entry has the path of a test file, and a text that occurs in one of its tests.
const limits = 'test/conformance/limits.test.ts';
const settings = 'test/conformance/set-table-service-properties.test.ts';
const policies = 'test/unit/protocol/table-acl-xml.test.ts';
const names = 'test/unit/model/table-name.test.ts';
const pages = 'test/conformance/query-entities.test.ts';

export const namedTests = {
  keyCharsMax: [limits, 'of 1024 UTF-16 units'],
  propertyNameCharsMax: [limits, 'of 255 units'],
  propertiesMax: [limits, 'is at most 252'],
  stringCharsMax: [limits, 'of 32768 UTF-16 units'],
  binaryBytesMax: [limits, 'of 65536 bytes'],
  entityBytesMax: [limits, 'of 1 MiB is stored'],
  bodyBytesMax: [limits, 'of 4 MiB is read'],
  changesetOperationsMax: [
    'test/conformance/entity-group-transaction.test.ts',
    'operations: 400 InvalidInput, at index 99',
  ],
  pageEntitiesMax: [pages, 'at 1000 entities'],
  pageBytesMax: [pages, 'before its payload exceeds 4 MiB, keys included'],
  selectedNamesMax: ['test/conformance/select.test.ts', 'more than 255 names'],
  pageTimeMsMax: ['test/unit/operations/query-entities.test.ts', 'takes five seconds'],
  requestTimeoutMsMax: ['test/conformance/throttling.test.ts', 'may be "%s"'],
  requestAgeMsMax: ['test/conformance/authentication.test.ts', 'older than 15 minutes'],
  clientRequestIdCharsMax: ['test/conformance/versions.test.ts', "'i'.repeat(1025)"],
  tableNameCharsMin: [names, 'three to 63'],
  tableNameCharsMax: [names, 'three to 63'],
  signedIdentifiersMax: [policies, 'five case-sensitive identifiers'],
  identifierCharsMax: [policies, 'of up to 64 characters'],
  retentionDaysRange: [settings, '366 days'],
  maxAgeSecondsRange: [settings, 'an age beyond 2000000000'],
  rulesMax: [settings, 'six rules'],
  originsMax: [settings, '65 origins'],
  literalHeadersMax: [settings, '65 allowed headers'],
  prefixedHeadersMax: [settings, 'three beginnings of allowed headers'],
  itemCharsMax: [settings, 'an origin of 257 characters'],
  rulesBytesMax: ['test/unit/protocol/service-properties-xml.test.ts', 'rules of more than 2 KiB'],
  AuthorizationProtocolMismatch: ['test/unit/auth/refusals-of-signatures.test.ts', '$name: $outcome'],
};
