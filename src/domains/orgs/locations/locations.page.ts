/** The page to which the code of a location leads. Only members of its organization learn that there is one. */

import { can } from '#domains/access/index.ts'
import type { LandingPage } from '#domains/contributions.ts'
import { notFoundPage } from '#http/pages.ts'
import { wantsJson } from '#http/refusals.ts'
import { success } from '#http/respond.ts'
import { UUID_PATTERN } from '#lib/text.ts'
import { pathsOf } from '#lib/tree.ts'

import { findLocationByUuid, locationTree } from './locations.store.ts'

const UUID = new RegExp(`^${UUID_PATTERN}$`, 'i')

/** JSON for the web application, which sends a token. Browsers that open the address have none, so they get the link to the web application. */
export const locationLandingPage: LandingPage = async (ctx, { id, userId, caller, request }) => {
  if (!UUID.test(id)) return undefined
  if (!wantsJson(request)) return notFoundPage(ctx, caller.locale, `/console/places/${id.toLowerCase()}`)
  const row = userId === 0 ? undefined : await findLocationByUuid(ctx.db.read, id)
  if (row === undefined || !(await can(ctx, userId, 'ORG', row.orgId, 'location:read'))) return undefined
  const path = pathsOf(await locationTree.all(ctx.db.read, row.orgId)).get(row.id) ?? row.name
  const fields = [
    { key: 'name', label: 'Name', value: row.name },
    { key: 'path', label: 'Path', value: path },
    { key: 'id', label: 'Id', value: row.id },
    { key: 'orgId', label: 'Organization', value: row.orgId },
  ]
  return success({ uuid: row.uuid, kind: 'LOCATION', fields, found: null }, caller.requestId)
}
