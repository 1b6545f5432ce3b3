import { endpoint, open } from '#http/endpoint.ts'
import { wantsJson } from '#http/mount.ts'

import { PublicOrg } from '../organizations/model.ts'
import { ByCode, ByOrgId } from './model.ts'
import { orgPage } from './page.ts'
import { publicOrgByCode, publicOrgById } from './service.ts'

const tag = 'Public pages'

export const publicEndpoints = [
  endpoint({
    id: 'orgs.public',
    method: 'GET',
    path: '/api/orgs/public/:code',
    summary: 'A public organization by its code',
    description: 'PUBLIC and active ones only. After 20 wrong codes a minute from one address: 4022.',
    tag,
    access: open,
    params: ByCode,
    data: PublicOrg,
    run: ({ ctx, caller, params }) => publicOrgByCode(ctx, caller, params.code),
  }),
  endpoint({
    id: 'orgs.publicById',
    method: 'GET',
    path: '/api/orgs/public/by-id/:orgId',
    summary: 'A public organization by its id',
    description: 'PUBLIC and active ones only.',
    tag,
    access: open,
    params: ByOrgId,
    data: PublicOrg,
    run: ({ ctx, params }) => publicOrgById(ctx, params.orgId),
  }),
  endpoint({
    id: 'orgs.publicPage',
    method: 'GET',
    path: '/public/orgs/:code',
    summary: 'Page of a public organization',
    description: 'A page for people; with `Accept: application/json` the same as `/api/orgs/public/{code}`.',
    tag,
    access: open,
    params: ByCode,
    answers: 'text/html',
    data: PublicOrg,
    run: async ({ ctx, caller, params, request }) => {
      const org = await publicOrgByCode(ctx, caller, params.code)
      return wantsJson(request) ? org : orgPage(org, caller.locale)
    },
  }),
]
