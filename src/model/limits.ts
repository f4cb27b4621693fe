// What the service allows. Source, where not said otherwise: docs, Understanding the Table Service Data Model.

/** Docs name 1 KiB; 1024 UTF-16 units, seen is only that 2048 are refused. Evidence: assumed. */
export const keyCharsMax = 1024;
export const propertyNameCharsMax = 255;
/** Custom properties; the three system properties come on top. */
export const propertiesMax = 252;
/** 64 KiB of UTF-16. */
export const stringCharsMax = 32_768;
export const binaryBytesMax = 65_536;
export const entityBytesMax = 1_048_576;
/** Body of one request, batches included. */
export const bodyBytesMax = 4 * 1_048_576;
/** Operations of one entity group transaction (docs: Performing entity group transactions). */
export const changesetOperationsMax = 100;
/** Entities or tables in one answer. */
export const pageEntitiesMax = 1000;
/** Payload of one answer; a page ends before it would grow beyond. */
export const pageBytesMax = 4 * 1_048_576;
/** Names in `$select`: as many as an entity can have properties. */
export const selectedNamesMax = 255;
/** A query runs this long for a page (docs: Query timeout and pagination). */
export const pageTimeMsMax = 5_000;
/** A request takes this long at most, whatever its `timeout` says (docs: Setting timeouts for Table service operations). */
export const requestTimeoutMsMax = 30_000;
/** Limit: a request older than this is refused (docs: Authorize with Shared Key). */
export const requestAgeMsMax = 15 * 60_000;
export const clientRequestIdCharsMax = 1024;
