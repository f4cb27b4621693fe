// Limits of the service. Evidence, where not stated otherwise: documented (Understanding the Table Service Data Model).

/**
 * The maximum length of a key, in UTF-16 units. Evidence: documented (1 KiB); assumed (1 KiB means 1024 units; it is
 * known only that the service refuses a key of 2048 units).
 */
export const keyCharsMax = 1024;
export const propertyNameCharsMax = 255;
/** Custom properties; the three system properties are not counted. */
export const propertiesMax = 252;
/** 64 KiB of UTF-16. */
export const stringCharsMax = 32_768;
export const binaryBytesMax = 65_536;
export const entityBytesMax = 1_048_576;
/** Body of one request, also of a batch. */
export const bodyBytesMax = 4 * 1_048_576;
/** Operations in one entity group transaction. Evidence: documented (Performing entity group transactions). */
export const changesetOperationsMax = 100;
/** Entities or tables in one response. */
export const pageEntitiesMax = 1000;
/** Payload of one response; a page ends before exceeding it. */
export const pageBytesMax = 4 * 1_048_576;
/** Names in `$select`: the number of properties that an entity can have. */
export const selectedNamesMax = 255;
/** Time for one page of a query. Evidence: documented (Query timeout and pagination). */
export const pageTimeMsMax = 5_000;
/**
 * The maximum time for a request, even if its `timeout` parameter asks for more time. Evidence: documented (Setting
 * timeouts for Table service operations).
 */
export const requestTimeoutMsMax = 30_000;
/** Maximum age of a request. Evidence: documented (Authorize with Shared Key). */
export const requestAgeMsMax = 15 * 60_000;
export const clientRequestIdCharsMax = 1024;
