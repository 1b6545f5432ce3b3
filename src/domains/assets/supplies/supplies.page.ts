/** The page to which the code on a supply leads. Only those who may see the supply learn that there is one. */

import type { LandingPage } from '#domains/contributions.ts'
import { notFoundPage } from '#http/pages.ts'
import { wantsJson } from '#http/refusals.ts'
import { success } from '#http/respond.ts'
import { UUID_PATTERN } from '#lib/text.ts'

import { findVisible } from './supplies.service.ts'
import { toView } from './supplies.view.ts'

const UUID = new RegExp(`^${UUID_PATTERN}$`, 'i')

/** JSON for the web application, which sends a token. Browsers that open the address have none, so they get the link to the web application. */
export const supplyLandingPage: LandingPage = async (ctx, { id, userId, caller, request }) => {
  if (!UUID.test(id)) return undefined
  if (!wantsJson(request)) return notFoundPage(ctx, caller.locale, `/console/take/${id.toLowerCase()}`)
  const row = userId === 0 ? undefined : await findVisible(ctx, userId, id)
  if (row === undefined) return undefined
  const { name, supplyNo, orgId } = await toView(ctx, ctx.db.read, row)
  const fields = [
    { key: 'name', label: 'Name', value: name },
    { key: 'supplyNo', label: 'Number', value: supplyNo },
    { key: 'id', label: 'Id', value: row.id },
    { key: 'orgId', label: 'Organization', value: orgId },
  ]
  return success({ uuid: row.uuid, kind: 'SUPPLY', fields, found: null }, caller.requestId)
}
