import { dual, endpoint } from '#http/endpoint.ts'
import { InOrg } from '#http/schema.ts'

import {
  ByTemplate,
  CreateTemplate,
  MAX_TEMPLATES,
  TemplatePage,
  TemplatesQuery,
  TemplateView,
  UpdateTemplate,
} from './pass-templates.model.ts'
import * as service from './pass-templates.service.ts'
import { organizationOfTemplate } from './pass-templates.store.ts'

const tag = 'Passes'

export const passTemplateEndpoints = [
  endpoint({
    id: 'passTemplates.list',
    method: 'GET',
    path: '/api/pass/templates',
    summary: 'List pass templates',
    description: 'Yours, or with `orgId` those of that organization. Newest first.',
    tag,
    access: dual('pass:read'),
    query: TemplatesQuery,
    data: TemplatePage,
    run: ({ ctx, owner, query }) => service.listTemplates(ctx, owner, query),
  }),
  endpoint({
    id: 'passTemplates.create',
    method: 'POST',
    path: '/api/pass/templates',
    summary: 'Create a pass template',
    description: `At most ${MAX_TEMPLATES} for a user or an organization.`,
    tag,
    access: dual('pass_template:manage'),
    query: InOrg,
    body: CreateTemplate,
    data: TemplateView,
    run: ({ ctx, owner, body }) => service.createTemplate(ctx, owner, body),
  }),
  endpoint({
    id: 'passTemplates.update',
    method: 'PUT',
    path: '/api/pass/templates/:templateId',
    summary: 'Update a pass template',
    description: 'Passes that were issued before stay as they are.',
    tag,
    access: dual('pass_template:manage', organizationOfTemplate),
    params: ByTemplate,
    query: InOrg,
    body: UpdateTemplate,
    data: TemplateView,
    run: ({ ctx, owner, params, body }) => service.updateTemplate(ctx, owner, params.templateId, body),
  }),
  endpoint({
    id: 'passTemplates.delete',
    method: 'DELETE',
    path: '/api/pass/templates/:templateId',
    summary: 'Delete a pass template',
    description: 'Issued passes stay as they are. Activities that use it are left without a template.',
    tag,
    access: dual('pass_template:manage', organizationOfTemplate),
    params: ByTemplate,
    query: InOrg,
    run: ({ ctx, owner, params }) => service.deleteTemplate(ctx, owner, params.templateId),
  }),
]
