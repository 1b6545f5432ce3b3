import { dual, endpoint, platform } from '#http/endpoint.ts'
import { ById, InOrg } from '#http/schema.ts'
import { MINUTE } from '#platform/clock.ts'

import { ByObject } from '../metadata.model.ts'
import { searchValues } from './search.service.ts'
import { ByEntity, EntityValues, FoundValuePage, SearchQuery, UpdateValues, ValuesQuery } from './values.model.ts'
import * as service from './values.service.ts'

const tag = 'Metadata'
const order =
  'First the fields of the templates in force, in their order, then the other visible fields. 404 if you may not see ' +
  'the thing, or if its object is disabled.'

/** Values that a user may write, so that a script cannot fill the database with long texts. A person fills in a few forms a minute. */
const VALUE_BUDGET = {
  name: 'metadata values',
  counts: { en: 'metadata values written', zh: '元数据值写入' },
  per: 'user',
  limit: 6000,
  windowMs: 10 * MINUTE,
  cost: ({ body }: { readonly body: { readonly values: readonly unknown[] } }) => Math.max(1, body.values.length),
} as const

export const valueEndpoints = [
  endpoint({
    id: 'metadata.values',
    method: 'GET',
    path: '/api/meta/objects/:objectName/entities/:entityId/values',
    summary: 'List the fields of a thing with their values',
    description: order,
    tag,
    access: dual('meta_value:read', service.organizationOfEntity),
    params: ByEntity,
    query: ValuesQuery,
    data: EntityValues,
    run: ({ ctx, owner, params, query: { includeDeleted = false }, caller }) =>
      service.getValues(ctx, owner, params, { includeDeleted, locale: caller.locale }),
  }),
  endpoint({
    id: 'metadata.updateValues',
    method: 'PUT',
    path: '/api/meta/objects/:objectName/entities/:entityId/values',
    summary: 'Change values of a thing',
    description:
      'Changes all of the given values or none; other values stay. Null clears a value. A value of a fixed column changes the asset itself.',
    tag,
    access: dual('meta_value:update', service.organizationOfEntity),
    params: ByEntity,
    query: InOrg,
    body: UpdateValues,
    data: EntityValues,
    budgets: [VALUE_BUDGET],
    run: ({ ctx, owner, params, body, caller }) => service.updateValues(ctx, owner, params, body.values, caller.locale),
  }),
  endpoint({
    id: 'metadata.searchValues',
    method: 'GET',
    path: '/api/meta/objects/:objectName/values',
    summary: 'Search for things by a value',
    description:
      'Finds your own things, or with `orgId` those of that organization, that have a value in the field. They are sorted by value, then by id.',
    tag,
    access: dual('meta_value:read'),
    params: ByObject,
    query: SearchQuery,
    data: FoundValuePage,
    refuses: { 404: 'There is no such object, or it is disabled.' },
    run: ({ ctx, owner, params, query }) => searchValues(ctx, owner, params.objectName, query),
  }),
  endpoint({
    id: 'metadata.assetFields',
    method: 'GET',
    path: '/api/admin/assets/:id/fields',
    summary: 'List the fields of any asset with their values',
    description: `The fields that the owner of the asset sees. ${order}`,
    tag,
    access: platform('asset:read'),
    params: ById,
    data: EntityValues,
    run: ({ ctx, params, caller }) => service.getAssetFields(ctx, params.id, caller.locale),
  }),
]
