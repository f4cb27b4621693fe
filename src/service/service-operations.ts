// The operations that use XML with any Accept header: access policies, and properties and stats of the service.

import { access } from '../auth/access.ts';
import { ServiceError } from '../model/service-error.ts';
import type { ServiceProperties } from '../model/service-properties.ts';
import { getTableServiceStats, type ReplicaStats } from '../operations/get-table-service-stats.ts';
import { getTableAcl, setTableAcl } from '../operations/table-acl.ts';
import { getTableServiceProperties, setTableServiceProperties } from '../operations/table-service-properties.ts';
import {
  decodeServicePropertiesXml,
  renderServicePropertiesXml,
  renderServiceStatsXml,
} from '../protocol/service-properties-xml.ts';
import { versionGates } from '../protocol/service-version.ts';
import { decodeTableAclXml, renderTableAclXml } from '../protocol/table-acl-xml.ts';
import { tableInAddress } from './entity-operations.ts';
import { type OperationResult, operation } from './operation.ts';

const contentType = 'application/xml';

export const getTableAclOperation = operation({
  name: 'GetTableAcl',
  resource: 'entities',
  access: access.keyOnly,
  takesBody: false,
  isServiceLevel: true,
  decode: tableInAddress,
  run: getTableAcl,
  encode: (policies): OperationResult => ({ status: 200, contentType, body: renderTableAclXml(policies) }),
});

export const setTableAclOperation = operation({
  name: 'SetTableAcl',
  resource: 'entities',
  access: access.keyOnly,
  takesBody: true,
  isServiceLevel: true,
  decode(request) {
    // Refuses an Accept header with the value */*. Evidence: recorded (2019-07-07), for this operation only; sdk
    // (azure-storage-ruby: accepted at 2012-02-12); assumed (the refusal begins with version 2015-12-11).
    const { accept, version } = request.negotiated;
    if (accept === '*/*' && version >= versionGates.jsonOnly) {
      throw new ServiceError('MediaTypeNotSupported', {
        stage: 'parse',
        why: 'Accept is */*: send application/xml, or none.',
      });
    }
    const policies = decodeTableAclXml(request.body);
    return { table: tableInAddress(request), policies };
  },
  run: setTableAcl,
  encode: (): OperationResult => ({ status: 204 }),
});

export const getTableServicePropertiesOperation = operation({
  name: 'GetTableServiceProperties',
  resource: 'service',
  access: access.readService,
  takesBody: false,
  isServiceLevel: true,
  decode: (): undefined => undefined,
  run: ({ store }) => getTableServiceProperties(store),
  encode: (properties: ServiceProperties, { negotiated }): OperationResult => ({
    status: 200,
    contentType,
    body: renderServicePropertiesXml(properties, negotiated.version),
  }),
});

export const setTableServicePropertiesOperation = operation({
  name: 'SetTableServiceProperties',
  resource: 'service',
  access: access.writeService,
  takesBody: true,
  isServiceLevel: true,
  decode:
    ({ body, negotiated }) =>
    (current: ServiceProperties): ServiceProperties =>
      decodeServicePropertiesXml(body, current, negotiated.version),
  run: ({ store }, change) => setTableServiceProperties(store, change),
  // Evidence: recorded: an empty body in chunks.
  encode: (): OperationResult => ({ status: 202, body: Buffer.alloc(0) }),
});

export const getTableServiceStatsOperation = operation({
  name: 'GetTableServiceStats',
  resource: 'service',
  access: access.readService,
  takesBody: false,
  isServiceLevel: true,
  decode({ address }): undefined {
    // Evidence: documented (Get Table Service Stats: on the secondary only); the code is assumed.
    if (!address.secondary) {
      const why = `Only the secondary has statistics: ${address.account}-secondary.`;
      throw new ServiceError('InvalidQueryParameterValue', { stage: 'parse', why });
    }
  },
  run: ({ replica, clock }): Promise<ReplicaStats> => getTableServiceStats(replica, clock),
  encode: (stats: ReplicaStats): OperationResult => ({ status: 200, contentType, body: renderServiceStatsXml(stats) }),
});
