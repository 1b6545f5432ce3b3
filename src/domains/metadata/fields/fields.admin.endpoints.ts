import { endpoint, type MemberAccess, platform, type RowOf } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import { AllFieldsQuery, CreateAnyField, FieldPage, FieldView, UpdateField } from './fields.model.ts'
import * as service from './fields.service.ts'
import { versionOfField } from './fields.store.ts'

const tag = 'Metadata'
const anyField: RowOf<MemberAccess, typeof ById> = {
  version: versionOfField,
  view: FieldView,
  show: ({ ctx, params, caller }) => service.getAnyField(ctx, params.id, caller.locale),
}

export const fieldAdminEndpoints = [
  endpoint({
    id: 'metadata.allFields',
    method: 'GET',
    path: '/api/admin/meta/fields',
    summary: 'List fields of every scope, newest first',
    tag,
    access: platform('meta_field:read'),
    query: AllFieldsQuery,
    data: FieldPage,
    run: ({ ctx, actor, query, caller }) => service.listAllFields(ctx, actor, query, caller.locale),
  }),
  endpoint({
    id: 'metadata.createAnyField',
    method: 'POST',
    path: '/api/admin/meta/fields',
    summary: 'Create a field of any scope',
    description:
      'ORG needs `orgId`, USER needs `userId`, GLOBAL neither. A GLOBAL field of `asset` can stand for a fixed column: its value is that ' +
      'of the column.',
    tag,
    access: platform('meta_field:create'),
    logs: 'META_FIELD_CREATE',
    body: CreateAnyField,
    data: FieldView,
    run: ({ ctx, actor, body, caller }) => service.createAnyField(ctx, actor, body, caller.locale),
  }),
  endpoint({
    id: 'metadata.updateAnyField',
    method: 'PUT',
    path: '/api/admin/meta/fields/:id',
    summary: 'Update a field of any scope',
    description:
      'Only the fields present change; `key`, scope and column never do. `type` changes only if all stored values fit the new one, ' +
      'otherwise the message says how many do not.',
    tag,
    access: platform('meta_field:update'),
    logs: 'META_FIELD_UPDATE',
    params: ById,
    body: UpdateField,
    data: FieldView,
    refuses: {
      400: 'The configuration is not valid, values do not fit the new type, or the field was changed meanwhile.',
    },
    row: anyField,
    run: ({ ctx, actor, params, body, caller }) => service.updateAnyField(ctx, actor, params.id, body, caller.locale),
  }),
  endpoint({
    id: 'metadata.deleteAnyField',
    method: 'DELETE',
    path: '/api/admin/meta/fields/:id',
    summary: 'Delete a field of any scope',
    description:
      'Stored values stay. Refused while a formula of the same scope uses the field. Formulas of organizations and users ' +
      'that use a GLOBAL field no longer have a result, and their owners are notified once.',
    tag,
    access: platform('meta_field:delete'),
    logs: 'META_FIELD_DELETE',
    params: ById,
    refuses: { 400: 'A formula of the same scope uses the field.' },
    row: anyField,
    run: ({ ctx, actor, params }) => service.deleteAnyField(ctx, actor, params.id),
  }),
]
