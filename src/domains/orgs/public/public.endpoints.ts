import { endpoint, open } from '#http/endpoint.ts'
import { wantsJson } from '#http/refusals.ts'
import { Id, Line, Type } from '#http/schema.ts'

import { PublicOrg } from '../organizations/organizations.model.ts'
import { orgPage } from './public.page.ts'
import { getPublicOrgByCode, getPublicOrgById } from './public.service.ts'

const tag = 'Public pages'

/** Any text is allowed: one that is not an organization code is answered with 404, not 400. */
const ByCode = Type.Object({ code: Line(64, 0, { examples: ['K7WPQ2MX'] }) })
const ByOrgId = Type.Object({ orgId: Id })

export const publicEndpoints = [
  endpoint({
    id: 'orgs.public',
    method: 'GET',
    path: '/api/orgs/public/:code',
    secrets: ['code'],
    summary: 'Get a public organization by its code',
    description: 'Only PUBLIC and active organizations. 4022 after 20 wrong codes in a minute from one IP address.',
    tag,
    access: open,
    params: ByCode,
    data: PublicOrg,
    run: ({ ctx, caller, params }) => getPublicOrgByCode(ctx, caller, params.code),
  }),
  endpoint({
    id: 'orgs.publicById',
    method: 'GET',
    path: '/api/orgs/public/by-id/:orgId',
    summary: 'Get a public organization by its id',
    description: 'Only PUBLIC and active organizations.',
    tag,
    access: open,
    params: ByOrgId,
    data: PublicOrg,
    run: ({ ctx, params }) => getPublicOrgById(ctx, params.orgId),
  }),
  endpoint({
    id: 'orgs.publicPage',
    method: 'GET',
    path: '/public/orgs/:code',
    secrets: ['code'],
    summary: 'Get the page of a public organization',
    description:
      'An HTML page. With `Accept: application/json` you get the same answer as from `/api/orgs/public/{code}`.',
    tag,
    access: open,
    params: ByCode,
    answers: 'text/html',
    data: PublicOrg,
    run: async ({ ctx, caller, params, request }) => {
      const org = await getPublicOrgByCode(ctx, caller, params.code)
      return wantsJson(request) ? org : orgPage(ctx, org, request, caller.locale)
    },
  }),
]
