import { endpoint, type MemberAccess, platform, type RowOf } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import { ByOrg } from '../metadata.model.ts'
import {
  AllTemplatesQuery,
  CreateAnyTemplate,
  SetTemplateFields,
  TemplateFields,
  TemplatePage,
  TemplatesOfOrgQuery,
  TemplateView,
  UpdateTemplate,
} from './templates.model.ts'
import * as service from './templates.service.ts'
import { versionOfTemplate } from './templates.store.ts'

const tag = 'Metadata'
const anyTemplate: RowOf<MemberAccess, typeof ById> = {
  version: versionOfTemplate,
  view: TemplateView,
  show: ({ ctx, params, caller }) => service.getAnyTemplate(ctx, params.id, caller.locale),
}

export const templateAdminEndpoints = [
  endpoint({
    id: 'metadata.allTemplates',
    method: 'GET',
    path: '/api/admin/meta/templates',
    summary: 'List templates of every scope, newest first',
    tag,
    access: platform('meta_template:read'),
    query: AllTemplatesQuery,
    data: TemplatePage,
    run: ({ ctx, actor, query, caller }) => service.listAllTemplates(ctx, actor, query, caller.locale),
  }),
  endpoint({
    id: 'metadata.templatesOfOrg',
    method: 'GET',
    path: '/api/admin/meta/orgs/:orgId/templates',
    summary: "List an organization's own templates",
    description: 'Templates for all objects unless you give `objectName`, the newest first.',
    tag,
    access: platform('meta_template:read'),
    params: ByOrg,
    query: TemplatesOfOrgQuery,
    data: TemplatePage,
    run: ({ ctx, actor, params, query, caller }) =>
      service.listTemplatesOfOrg(ctx, actor, params.orgId, query, caller.locale),
  }),
  endpoint({
    id: 'metadata.createAnyTemplate',
    method: 'POST',
    path: '/api/admin/meta/templates',
    summary: 'Create a template of any scope',
    description: 'ORG needs `orgId`, USER needs `userId`, GLOBAL neither.',
    tag,
    access: platform('meta_template:create'),
    logs: 'META_TEMPLATE_CREATE',
    body: CreateAnyTemplate,
    data: TemplateView,
    run: ({ ctx, actor, body, caller }) => service.createAnyTemplate(ctx, actor, body, caller.locale),
  }),
  endpoint({
    id: 'metadata.updateAnyTemplate',
    method: 'PUT',
    path: '/api/admin/meta/templates/:id',
    summary: 'Update a template of any scope',
    tag,
    access: platform('meta_template:update'),
    logs: 'META_TEMPLATE_UPDATE',
    params: ById,
    body: UpdateTemplate,
    data: TemplateView,
    row: anyTemplate,
    run: ({ actor, params, body, caller }) => service.updateAnyTemplate(actor, params.id, body, caller.locale),
  }),
  endpoint({
    id: 'metadata.deleteAnyTemplate',
    method: 'DELETE',
    path: '/api/admin/meta/templates/:id',
    summary: 'Delete a template of any scope',
    description: 'Its bindings end, and categories lose it. Values stay.',
    tag,
    access: platform('meta_template:delete'),
    logs: 'META_TEMPLATE_DELETE',
    params: ById,
    row: anyTemplate,
    run: ({ ctx, actor, params }) => service.deleteAnyTemplate(ctx, actor, params.id),
  }),
  endpoint({
    id: 'metadata.anyTemplateFields',
    method: 'GET',
    path: '/api/admin/meta/templates/:id/fields',
    summary: 'List the fields of any template',
    tag,
    access: platform('meta_template:read'),
    params: ById,
    data: TemplateFields,
    run: ({ ctx, params, caller }) => service.getAnyTemplateFields(ctx, params.id, caller.locale),
  }),
  endpoint({
    id: 'metadata.setAnyTemplateFields',
    method: 'PUT',
    path: '/api/admin/meta/templates/:id/fields',
    summary: 'Replace the fields of any template',
    description:
      'Replaces all fields; the order of the array counts. A template takes GLOBAL fields and those of its own scope, each once.',
    tag,
    access: platform('meta_template:update'),
    logs: 'META_TEMPLATE_FIELDS',
    params: ById,
    body: SetTemplateFields,
    data: TemplateFields,
    row: anyTemplate,
    run: ({ actor, params, body, caller }) => service.setAnyTemplateFields(actor, params.id, body, caller.locale),
  }),
]
