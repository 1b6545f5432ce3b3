import { app, endpoint, type MemberAccess, org, type RowOf } from '#http/endpoint.ts'

import { ByObject, ByOrgAndObject } from '../metadata.model.ts'
import {
  ByField,
  ByOrgField,
  CreateField,
  FIELD_ORDER,
  FieldPage,
  FieldView,
  MAX_FIELDS,
  OrgFieldsQuery,
  UpdateField,
} from './fields.model.ts'
import { CREATE_BUDGET, UPDATE_BUDGET } from './fields.rules.ts'
import * as service from './fields.service.ts'
import { versionOfField } from './fields.store.ts'

const creates =
  `There can be at most ${MAX_FIELDS} such fields for each object. \`key\` is unique among them. \`config\` must fit \`type\`; the formula of a COMPUTED ` +
  'field can name the keys of fields that are visible in its scope.'
const changes =
  'Only the fields present change; `key` never does. `type` changes only if all stored values fit the new one, otherwise the message ' +
  'says how many do not.'
const deletes =
  'It disappears from lists and templates, and its key becomes free. Stored values stay and can still be read with `includeDeleted`. ' +
  'Refused while a formula uses the field.'
const misfit = 'The configuration is not valid, values do not fit the new type, or the field was changed meanwhile.'
const isUsed = 'A formula uses the field.'

const row = { version: versionOfField, view: FieldView }
const ownField: RowOf<MemberAccess, typeof ByField> = {
  ...row,
  show: ({ ctx, actor: { userId }, params: { objectName, id }, caller }) =>
    service.getOwnField(ctx, { userId, orgId: 0 }, objectName, id, caller.locale),
}
const orgField: RowOf<MemberAccess, typeof ByOrgField> = {
  ...row,
  show: ({ ctx, actor: { userId }, params: { orgId, objectName, id }, caller }) =>
    service.getOwnField(ctx, { userId, orgId }, objectName, id, caller.locale),
}

export const fieldEndpoints = [
  endpoint({
    id: 'metadata.createField',
    method: 'POST',
    path: '/api/meta/objects/:objectName/fields',
    summary: 'Create a field of your own',
    description: `Nobody else sees it or its values. ${creates}`,
    tag: 'Metadata',
    access: app('meta_field:create'),
    budgets: [CREATE_BUDGET],
    params: ByObject,
    body: CreateField,
    data: FieldView,
    run: ({ ctx, actor: { userId }, params, body, caller }) =>
      service.createField(ctx, { userId, orgId: 0 }, params.objectName, body, caller.locale),
  }),
  endpoint({
    id: 'metadata.updateField',
    method: 'PUT',
    path: '/api/meta/objects/:objectName/fields/:id',
    summary: 'Update a field of your own',
    description: changes,
    tag: 'Metadata',
    access: app('meta_field:update'),
    budgets: [UPDATE_BUDGET],
    params: ByField,
    body: UpdateField,
    data: FieldView,
    refuses: { 400: misfit },
    row: ownField,
    run: ({ ctx, actor: { userId }, params: { objectName, id }, body, caller }) =>
      service.updateField(ctx, { userId, orgId: 0 }, objectName, id, body, caller.locale),
  }),
  endpoint({
    id: 'metadata.deleteField',
    method: 'DELETE',
    path: '/api/meta/objects/:objectName/fields/:id',
    summary: 'Delete a field of your own',
    description: deletes,
    tag: 'Metadata',
    access: app('meta_field:delete'),
    params: ByField,
    refuses: { 400: isUsed },
    row: ownField,
    run: ({ ctx, actor: { userId }, params: { objectName, id } }) =>
      service.deleteField(ctx, { userId, orgId: 0 }, objectName, id),
  }),
  endpoint({
    id: 'metadata.orgFields',
    method: 'GET',
    path: '/api/orgs/:orgId/meta/objects/:objectName/fields',
    summary: 'List the fields of an organization',
    description: `GLOBAL fields and those of the organization. ${FIELD_ORDER}`,
    tag: 'Metadata of organizations',
    access: org('meta_field:read'),
    params: ByOrgAndObject,
    query: OrgFieldsQuery,
    data: FieldPage,
    run: ({ ctx, actor: { userId }, params: { orgId, objectName }, query, caller }) =>
      service.listOrgFields(ctx, { userId, orgId }, objectName, query, caller.locale),
  }),
  endpoint({
    id: 'metadata.createOrgField',
    method: 'POST',
    path: '/api/orgs/:orgId/meta/objects/:objectName/fields',
    summary: 'Create a field of an organization',
    description: creates,
    tag: 'Metadata of organizations',
    access: org('meta_field:create'),
    budgets: [CREATE_BUDGET],
    params: ByOrgAndObject,
    body: CreateField,
    data: FieldView,
    run: ({ ctx, actor: { userId }, params: { orgId, objectName }, body, caller }) =>
      service.createField(ctx, { userId, orgId }, objectName, body, caller.locale),
  }),
  endpoint({
    id: 'metadata.updateOrgField',
    method: 'PUT',
    path: '/api/orgs/:orgId/meta/objects/:objectName/fields/:id',
    summary: 'Update a field of an organization',
    description: changes,
    tag: 'Metadata of organizations',
    access: org('meta_field:update'),
    budgets: [UPDATE_BUDGET],
    params: ByOrgField,
    body: UpdateField,
    data: FieldView,
    refuses: { 400: misfit },
    row: orgField,
    run: ({ ctx, actor: { userId }, params: { orgId, objectName, id }, body, caller }) =>
      service.updateField(ctx, { userId, orgId }, objectName, id, body, caller.locale),
  }),
  endpoint({
    id: 'metadata.deleteOrgField',
    method: 'DELETE',
    path: '/api/orgs/:orgId/meta/objects/:objectName/fields/:id',
    summary: 'Delete a field of an organization',
    description: deletes,
    tag: 'Metadata of organizations',
    access: org('meta_field:delete'),
    params: ByOrgField,
    refuses: { 400: isUsed },
    row: orgField,
    run: ({ ctx, actor: { userId }, params: { orgId, objectName, id } }) =>
      service.deleteField(ctx, { userId, orgId }, objectName, id),
  }),
]
