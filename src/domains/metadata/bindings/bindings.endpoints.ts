import { app, dual, endpoint, org } from '#http/endpoint.ts'

import { FIELD_ORDER, FieldPage, FieldsQuery } from '../fields/fields.model.ts'
import { ByObject } from '../metadata.model.ts'
import { BindTemplates, ByBinding, ByEntity, ByOrgBinding, ByOrgEntity, TemplatesInForce } from './bindings.model.ts'
import { bindTemplates, listBindings, listFields, unbind } from './bindings.service.ts'

const inForce =
  'Templates that are bound to it, and those of its category. If there are none, the default template. Default ones come first.'
const binds =
  'Templates that are bound already stay. Without `templateIds` the default template is bound. The answer shows the templates in force.'
const unbinds = 'Only templates that are bound to the thing itself can be unbound. Its values stay.'
const noDefault = 'There is no default template, or a template does not exist or cannot be used here.'

/** Here, because with `entityId` it asks for the templates in force. */
export const fieldListEndpoint = endpoint({
  id: 'metadata.fields',
  method: 'GET',
  path: '/api/meta/objects/:objectName/fields',
  summary: 'List the fields that you see',
  description: `GLOBAL fields and your own, and with \`orgId\` those of the organization. ${FIELD_ORDER}`,
  tag: 'Metadata',
  access: dual('meta_field:read'),
  params: ByObject,
  query: FieldsQuery,
  data: FieldPage,
  run: ({ ctx, owner, params, query, caller }) => listFields(ctx, owner, params.objectName, query, caller.locale),
})

export const bindingEndpoints = [
  endpoint({
    id: 'metadata.bindings',
    method: 'GET',
    path: '/api/meta/objects/:objectName/entities/:entityId/templates',
    summary: 'List the templates in force for one of your things',
    description: inForce,
    tag: 'Metadata',
    access: app('meta_template:read'),
    params: ByEntity,
    data: TemplatesInForce,
    run: ({ ctx, actor: { userId }, params: { objectName, entityId }, caller }) =>
      listBindings(ctx, { userId, orgId: 0 }, objectName, entityId, caller.locale),
  }),
  endpoint({
    id: 'metadata.bind',
    method: 'POST',
    path: '/api/meta/objects/:objectName/entities/:entityId/templates',
    summary: 'Bind templates to one of your things',
    description: binds,
    tag: 'Metadata',
    access: app('meta_template:bind'),
    params: ByEntity,
    body: BindTemplates,
    data: TemplatesInForce,
    refuses: { 400: noDefault },
    run: ({ ctx, actor: { userId }, params: { objectName, entityId }, body, caller }) =>
      bindTemplates(ctx, { userId, orgId: 0 }, objectName, entityId, body, caller.locale),
  }),
  endpoint({
    id: 'metadata.unbind',
    method: 'DELETE',
    path: '/api/meta/objects/:objectName/entities/:entityId/templates/:templateId',
    summary: 'Unbind a template from one of your things',
    description: unbinds,
    tag: 'Metadata',
    access: app('meta_template:bind'),
    params: ByBinding,
    run: ({ ctx, actor: { userId }, params }) =>
      unbind(ctx, { userId, orgId: 0 }, params.objectName, params.entityId, params.templateId),
  }),
  endpoint({
    id: 'metadata.orgBindings',
    method: 'GET',
    path: '/api/orgs/:orgId/meta/objects/:objectName/entities/:entityId/templates',
    summary: 'List the templates in force for a thing of an organization',
    description: inForce,
    tag: 'Metadata of organizations',
    access: org('meta_template:read'),
    params: ByOrgEntity,
    data: TemplatesInForce,
    run: ({ ctx, actor: { userId }, params: { orgId, objectName, entityId }, caller }) =>
      listBindings(ctx, { userId, orgId }, objectName, entityId, caller.locale),
  }),
  endpoint({
    id: 'metadata.orgBind',
    method: 'POST',
    path: '/api/orgs/:orgId/meta/objects/:objectName/entities/:entityId/templates',
    summary: 'Bind templates to a thing of an organization',
    description: binds,
    tag: 'Metadata of organizations',
    access: org('meta_template:bind'),
    params: ByOrgEntity,
    body: BindTemplates,
    data: TemplatesInForce,
    refuses: { 400: noDefault },
    run: ({ ctx, actor: { userId }, params: { orgId, objectName, entityId }, body, caller }) =>
      bindTemplates(ctx, { userId, orgId }, objectName, entityId, body, caller.locale),
  }),
  endpoint({
    id: 'metadata.orgUnbind',
    method: 'DELETE',
    path: '/api/orgs/:orgId/meta/objects/:objectName/entities/:entityId/templates/:templateId',
    summary: 'Unbind a template from a thing of an organization',
    description: unbinds,
    tag: 'Metadata of organizations',
    access: org('meta_template:bind'),
    params: ByOrgBinding,
    run: ({ ctx, actor: { userId }, params: { orgId, objectName, entityId, templateId } }) =>
      unbind(ctx, { userId, orgId }, objectName, entityId, templateId),
  }),
]
