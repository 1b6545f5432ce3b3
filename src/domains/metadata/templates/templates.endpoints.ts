import { app, endpoint, type MemberAccess, org, type RowOf } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import { ByObject, ByOrgAndObject } from '../metadata.model.ts'
import {
  ByOrgTemplate,
  CreateTemplate,
  ForkTemplate,
  MAX_TEMPLATES,
  OrgTemplatesQuery,
  SetTemplateFields,
  TemplateFields,
  TemplatePage,
  TemplatesQuery,
  TemplateView,
  UpdateTemplate,
} from './templates.model.ts'
import { CREATE_BUDGET } from './templates.rules.ts'
import * as service from './templates.service.ts'
import { versionOfTemplate } from './templates.store.ts'

const creates = `There can be at most ${MAX_TEMPLATES} such templates for each object, and one of them can be the default.`
const deletes = 'Its bindings end, and categories lose it. Values stay.'
const replaces =
  'Replaces all fields; the order of the array counts. A template takes GLOBAL fields and those of its own scope, each once.'

const row = { version: versionOfTemplate, view: TemplateView }
const ownTemplate: RowOf<MemberAccess, typeof ById> = {
  ...row,
  show: ({ ctx, actor: { userId }, params: { id }, caller }) =>
    service.getOwnTemplate(ctx, { userId, orgId: 0 }, id, caller.locale),
}
const orgTemplate: RowOf<MemberAccess, typeof ByOrgTemplate> = {
  ...row,
  show: ({ ctx, actor: { userId }, params: { orgId, id }, caller }) =>
    service.getOwnTemplate(ctx, { userId, orgId }, id, caller.locale),
}

export const templateEndpoints = [
  endpoint({
    id: 'metadata.templates',
    method: 'GET',
    path: '/api/meta/objects/:objectName/templates',
    summary: 'List the templates that you can use',
    description:
      'For personal categories: GLOBAL ones and your own. For categories of an organization (`categoryScope=ORG`): GLOBAL ones and those ' +
      'of the organization.',
    tag: 'Metadata',
    access: app('meta_template:read'),
    params: ByObject,
    query: TemplatesQuery,
    data: TemplatePage,
    refuses: {
      400: '`categoryScope` is ORG without `orgId`.',
      403: 'You may not see the templates of the organization.',
    },
    run: ({ ctx, actor, params, query, caller }) =>
      service.listTemplates(ctx, actor, params.objectName, query, caller.locale),
  }),
  endpoint({
    id: 'metadata.createTemplate',
    method: 'POST',
    path: '/api/meta/objects/:objectName/templates',
    summary: 'Create a template of your own',
    description: creates,
    tag: 'Metadata',
    access: app('meta_template:create'),
    budgets: [CREATE_BUDGET],
    params: ByObject,
    body: CreateTemplate,
    data: TemplateView,
    run: ({ ctx, actor: { userId }, params, body, caller }) =>
      service.createTemplate(ctx, { userId, orgId: 0 }, params.objectName, body, caller.locale),
  }),
  endpoint({
    id: 'metadata.updateTemplate',
    method: 'PUT',
    path: '/api/meta/templates/:id',
    summary: 'Update a template of your own',
    tag: 'Metadata',
    access: app('meta_template:update'),
    params: ById,
    body: UpdateTemplate,
    data: TemplateView,
    row: ownTemplate,
    run: ({ ctx, actor: { userId }, params, body, caller }) =>
      service.updateTemplate(ctx, { userId, orgId: 0 }, params.id, body, caller.locale),
  }),
  endpoint({
    id: 'metadata.deleteTemplate',
    method: 'DELETE',
    path: '/api/meta/templates/:id',
    summary: 'Delete a template of your own',
    description: deletes,
    tag: 'Metadata',
    access: app('meta_template:delete'),
    params: ById,
    row: ownTemplate,
    run: ({ ctx, actor: { userId }, params }) => service.deleteTemplate(ctx, { userId, orgId: 0 }, params.id),
  }),
  endpoint({
    id: 'metadata.forkTemplate',
    method: 'POST',
    path: '/api/meta/templates/:id/fork',
    summary: 'Copy a template for yourself',
    description:
      'The copy has the same fields. You can change their order, their groups and which of them are required.',
    tag: 'Metadata',
    access: app('meta_template:create'),
    budgets: [CREATE_BUDGET],
    params: ById,
    body: ForkTemplate,
    data: TemplateView,
    refuses: { 400: 'You have too many templates.' },
    run: ({ ctx, actor, params, body, caller }) => service.forkTemplate(ctx, actor, params.id, body, caller.locale),
  }),
  endpoint({
    id: 'metadata.templateFields',
    method: 'GET',
    path: '/api/meta/templates/:id/fields',
    summary: 'List the fields of a template',
    description: 'For a GLOBAL template or one of your own: all fields, in their order.',
    tag: 'Metadata',
    access: app('meta_template:read'),
    params: ById,
    data: TemplateFields,
    run: ({ ctx, actor: { userId }, params, caller }) =>
      service.getTemplateFields(ctx, { userId, orgId: 0 }, params.id, caller.locale),
  }),
  endpoint({
    id: 'metadata.setTemplateFields',
    method: 'PUT',
    path: '/api/meta/templates/:id/fields',
    summary: 'Replace the fields of a template of your own',
    description: replaces,
    tag: 'Metadata',
    access: app('meta_template:update'),
    params: ById,
    body: SetTemplateFields,
    data: TemplateFields,
    row: ownTemplate,
    run: ({ ctx, actor: { userId }, params, body, caller }) =>
      service.setTemplateFields(ctx, { userId, orgId: 0 }, params.id, body, caller.locale),
  }),
  endpoint({
    id: 'metadata.orgTemplates',
    method: 'GET',
    path: '/api/orgs/:orgId/meta/objects/:objectName/templates',
    summary: 'List the templates that an organization can use',
    description: 'GLOBAL ones and those of the organization.',
    tag: 'Metadata of organizations',
    access: org('meta_template:read'),
    params: ByOrgAndObject,
    query: OrgTemplatesQuery,
    data: TemplatePage,
    run: ({ ctx, actor: { userId }, params: { orgId, objectName }, query, caller }) =>
      service.listOrgTemplates(ctx, { userId, orgId }, objectName, query, caller.locale),
  }),
  endpoint({
    id: 'metadata.createOrgTemplate',
    method: 'POST',
    path: '/api/orgs/:orgId/meta/objects/:objectName/templates',
    summary: 'Create a template of an organization',
    description: creates,
    tag: 'Metadata of organizations',
    access: org('meta_template:create'),
    budgets: [CREATE_BUDGET],
    params: ByOrgAndObject,
    body: CreateTemplate,
    data: TemplateView,
    run: ({ ctx, actor: { userId }, params: { orgId, objectName }, body, caller }) =>
      service.createTemplate(ctx, { userId, orgId }, objectName, body, caller.locale),
  }),
  endpoint({
    id: 'metadata.updateOrgTemplate',
    method: 'PUT',
    path: '/api/orgs/:orgId/meta/templates/:id',
    summary: 'Update a template of an organization',
    tag: 'Metadata of organizations',
    access: org('meta_template:update'),
    params: ByOrgTemplate,
    body: UpdateTemplate,
    data: TemplateView,
    row: orgTemplate,
    run: ({ ctx, actor: { userId }, params: { orgId, id }, body, caller }) =>
      service.updateTemplate(ctx, { userId, orgId }, id, body, caller.locale),
  }),
  endpoint({
    id: 'metadata.deleteOrgTemplate',
    method: 'DELETE',
    path: '/api/orgs/:orgId/meta/templates/:id',
    summary: 'Delete a template of an organization',
    description: deletes,
    tag: 'Metadata of organizations',
    access: org('meta_template:delete'),
    params: ByOrgTemplate,
    row: orgTemplate,
    run: ({ ctx, actor: { userId }, params: { orgId, id } }) => service.deleteTemplate(ctx, { userId, orgId }, id),
  }),
  endpoint({
    id: 'metadata.forkIntoOrg',
    method: 'POST',
    path: '/api/orgs/:orgId/meta/templates/:id/fork',
    summary: 'Copy a GLOBAL template into an organization',
    description:
      'Its fields are copied too, so that the organization can change them. Fields for fixed columns stay GLOBAL, and a field of the ' +
      'organization with the same key and type is used again. If one field cannot be copied, nothing is.',
    tag: 'Metadata of organizations',
    access: org('meta_template:create'),
    budgets: [CREATE_BUDGET],
    params: ByOrgTemplate,
    body: ForkTemplate,
    data: TemplateView,
    refuses: {
      400: 'The organization has too many fields or templates, or a field with the same key and another type.',
    },
    run: ({ ctx, params: { orgId, id }, body, caller }) => service.forkIntoOrg(ctx, orgId, id, body, caller.locale),
  }),
  endpoint({
    id: 'metadata.orgTemplateFields',
    method: 'GET',
    path: '/api/orgs/:orgId/meta/templates/:id/fields',
    summary: 'List the fields of a template of an organization',
    description: 'For a GLOBAL template or one of the organization: all fields, in their order.',
    tag: 'Metadata of organizations',
    access: org('meta_template:read'),
    params: ByOrgTemplate,
    data: TemplateFields,
    run: ({ ctx, actor: { userId }, params: { orgId, id }, caller }) =>
      service.getTemplateFields(ctx, { userId, orgId }, id, caller.locale),
  }),
  endpoint({
    id: 'metadata.setOrgTemplateFields',
    method: 'PUT',
    path: '/api/orgs/:orgId/meta/templates/:id/fields',
    summary: 'Replace the fields of a template of an organization',
    description: replaces,
    tag: 'Metadata of organizations',
    access: org('meta_template:update'),
    params: ByOrgTemplate,
    body: SetTemplateFields,
    data: TemplateFields,
    row: orgTemplate,
    run: ({ ctx, actor: { userId }, params: { orgId, id }, body, caller }) =>
      service.setTemplateFields(ctx, { userId, orgId }, id, body, caller.locale),
  }),
]
