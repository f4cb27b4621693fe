import type { EdmValue } from './edm.ts';
import type { Entity, EntityKey } from './entity.ts';
import { checkBodyKey } from './entity-key.ts';
import {
  binaryBytesMax,
  entityBytesMax,
  keyCharsMax,
  propertiesMax,
  propertyNameCharsMax,
  stringCharsMax,
} from './limits.ts';
import { quote } from './printable-text.ts';
import type { Properties } from './properties.ts';
import { ServiceError } from './service-error.ts';
import { dateTimeTicksMin, formatTicksInvariant } from './ticks.ts';

const asciiIdentifier = /^[A-Za-z_][A-Za-z0-9_]*$/;
const identifier = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}\p{Cf}]*$/u;

/**
 * Checks an entity that does not come from a request, for example an entity from a file. Throws ServiceError if no
 * client could write this entity. For the entity of a request, some of these checks run before the service finds out
 * whether the table exists. The remaining checks run after that.
 */
export function checkEntity(entity: Entity): void {
  checkBodyKey(entity);
  checkDateTimes(entity.properties);
  const violation = findLimitViolation(entity);
  if (violation) throw violation;
}

/** Throws ServiceError for a DateTime before the service's earliest. Evidence: recorded. */
export function checkDateTimes(properties: Properties): void {
  for (const [name, edm] of properties) {
    if (edm.type !== 'Edm.DateTime' || edm.value >= dateTimeTicksMin) continue;
    const message = `The '${name}' parameter of value '${formatTicksInvariant(edm.value)}' is out of range.`;
    const why = `${quote(name)} is before 1601-01-01, the earliest Edm.DateTime.`;
    throw new ServiceError('OutOfRangeInput', { stage: 'parse', message, why });
  }
}

/**
 * Returns the error for the first limit that the entity exceeds, or undefined if it exceeds none. The service checks in
 * this order: keys, names, number of properties, size of the entity, values. Evidence: recorded for each code; sdk
 * (azure-storage-java, testInsertEntityOver1MB: the size of the entity is checked before single values); the rest of
 * the order is assumed.
 */
export function findLimitViolation(entity: Entity): ServiceError | undefined {
  const { partitionKey, rowKey, properties } = entity;
  if (partitionKey.length > keyCharsMax || rowKey.length > keyCharsMax) {
    const [name, chars] =
      partitionKey.length > keyCharsMax ? ['PartitionKey', partitionKey.length] : ['RowKey', rowKey.length];
    const why = `${name} has ${chars} characters; ${keyCharsMax} are allowed.`;
    return new ServiceError('PropertyValueTooLarge', { why });
  }
  for (const name of properties.keys()) {
    if (name.length > propertyNameCharsMax) {
      const why = `The property name ${quote(name.slice(0, 32))}… has ${name.length} characters; ${propertyNameCharsMax} are allowed.`;
      return new ServiceError('PropertyNameTooLong', { why });
    }
    if (!asciiIdentifier.test(name) && !identifier.test(name)) {
      const why = [
        `The property name ${quote(name)} is not an identifier.`,
        'A name is a letter or _, then letters, digits and _.',
      ];
      return new ServiceError('PropertyNameInvalid', { why });
    }
  }
  if (properties.size > propertiesMax) {
    const why = `The entity has ${properties.size} properties; ${propertiesMax} are allowed.`;
    return new ServiceError('TooManyProperties', { why });
  }
  const bytes = entityBytes(entity, properties);
  if (bytes > entityBytesMax) {
    return new ServiceError('EntityTooLarge', {
      why: `The entity has ${bytes} bytes; ${entityBytesMax} are allowed.`,
    });
  }
  return findTooLarge(properties);
}

/** The error for the first value that is too large; undefined if none is. */
export function findTooLarge(properties: Properties): ServiceError | undefined {
  for (const [name, edm] of properties) {
    const fault = sizeFault(edm);
    if (fault)
      return new ServiceError('PropertyValueTooLarge', {
        why: `The property ${quote(name)} has ${fault} are allowed.`,
      });
  }
  return undefined;
}

function sizeFault(edm: EdmValue): string | undefined {
  if (edm.type === 'Edm.String' && edm.value.length > stringCharsMax) {
    return `${edm.value.length} UTF-16 units; ${stringCharsMax}`;
  }
  if (edm.type === 'Edm.Binary' && edm.value.length > binaryBytesMax) {
    return `${edm.value.length} bytes; ${binaryBytesMax}`;
  }
  return undefined;
}

/**
 * Returns the size of an entity by the formula that the storage team published. Evidence: documented; assumed (the
 * limit uses this formula).
 */
export function entityBytes(key: EntityKey, properties: Properties): number {
  let bytes = 4 + 2 * (key.partitionKey.length + key.rowKey.length);
  for (const [name, value] of properties) bytes += 8 + 2 * name.length + valueBytes(value);
  return bytes;
}

/** Size of a value by the same formula. */
export function valueBytes(edm: EdmValue): number {
  switch (edm.type) {
    case 'Edm.String':
      return 2 * edm.value.length + 4;
    case 'Edm.Binary':
      return edm.value.length + 4;
    case 'Edm.Guid':
      return 16;
    case 'Edm.Int32':
      return 4;
    case 'Edm.Boolean':
      return 1;
    case 'Edm.Int64':
    case 'Edm.Double':
    case 'Edm.DateTime':
      return 8;
  }
}
