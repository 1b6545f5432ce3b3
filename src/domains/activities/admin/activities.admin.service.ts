/** Activities of all owners, for administrators. */

import type { AppContext } from '#context'
import { orgOf } from '#db/owner-key.ts'
import type { Page } from '#db/paging.ts'
import { adminPage, hasFilters, ownersOf } from '#domains/admin/index.ts'
import type { Actor, LoggedActor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import type { Locale } from '#lib/localized.ts'

import { noSuchOwner } from '../activities.errors.ts'
import { type ActivityRow, findActivity } from '../activities.store.ts'
import { purgeActivity } from '../purging.service.ts'
import { addActivity, changeFields } from '../register/register.service.ts'
import { listItem, toView } from '../register/register.view.ts'
import { refuseIfDisabled } from '../visibility/visibility.service.ts'
import type {
  AdminActivityItem,
  AdminActivityView,
  AdminCreateActivity,
  AdminListQuery,
  AdminUpdateActivity,
} from './activities.admin.model.ts'
import * as store from './activities.admin.store.ts'

/** Everything that those who manage the activity see. */
const ALL = { isManager: true, isMember: true }

export async function listAllActivities(
  ctx: AppContext,
  { userId }: Actor,
  query: AdminListQuery,
): Promise<Page<AdminActivityItem>> {
  const { items, ...rest } = hasFilters(query)
    ? await adminPage(ctx, userId, store.filtered(query), query)
    : await store.allPage(ctx.db.read, query)
  const ownedBy = await ownersOf(ctx.db.read, items.map(ownedRow))
  return { ...rest, items: items.map((row) => ({ ...listItem(ctx, row, ALL), ...ownedBy(ownedRow(row)) })) }
}

const ownedRow = ({ userId, owner }: ActivityRow) => ({ userId, orgId: orgOf(owner) })

/** Whatever its visibility and status. */
export async function getAnyActivity(ctx: AppContext, id: number): Promise<AdminActivityView> {
  const row = await findActivity(ctx.db.read, id)
  if (row === undefined) throw notFound()
  return viewOf(ctx, row)
}

async function viewOf(ctx: AppContext, row: ActivityRow): Promise<AdminActivityView> {
  const ownedBy = await ownersOf(ctx.db.read, [ownedRow(row)])
  return { ...(await toView(ctx, row, ALL)), ...ownedBy(ownedRow(row)) }
}

/**
 * Creates an activity for a user or an organization, beyond their quota too. Its creator is the user, or the owner of the organization:
 * creators manage their activities, and administrators are seldom members.
 */
export async function createAnyActivity(
  ctx: AppContext,
  actor: LoggedActor,
  input: AdminCreateActivity,
  locale: Locale,
): Promise<AdminActivityView> {
  const find = input.ownerType === 'PERSONAL' ? store.personalOwner : store.organizationOwner
  const row = await actor.write('activities.createAny', async (tx) => {
    const owner = await find(tx, input.ownerId)
    if (owner === undefined) throw invalidAll([noSuchOwner('body.ownerId')])
    const created = await addActivity(ctx, tx, owner, { ...input, language: input.language ?? locale }, UNLIMITED)
    return { result: created, logged: { targetId: created.id, targetName: created.name, after: outline(created) } }
  })
  return viewOf(ctx, row)
}

/** A quota of `addActivity`. */
const UNLIMITED = 0

/** The fields in the operation log of an activity that administrators create or delete. */
const outline = (row: ActivityRow) => ({
  name: row.name,
  userId: row.userId,
  orgId: orgOf(row.owner) || null,
  status: row.status,
  visibility: row.visibility,
  startTime: row.startTime,
  endTime: row.endTime,
})

/** Whatever its state, and also in a disabled organization. */
export async function deleteAnyActivity(ctx: AppContext, actor: LoggedActor, id: number): Promise<void> {
  await actor.write('activities.deleteAny', async (tx) => {
    const row = await findActivity(tx, id)
    if (row === undefined) throw notFound()
    await purgeActivity(ctx, tx, row)
    return { result: undefined, logged: { targetId: id, targetName: row.name, before: outline(row) } }
  })
}

/** Absent fields stay; null clears a field or sets its default. */
export async function updateAnyActivity(
  ctx: AppContext,
  actor: LoggedActor,
  id: number,
  input: AdminUpdateActivity,
): Promise<AdminActivityView> {
  const row = await actor.write('activities.updateAny', async (tx) => {
    const before = await findActivity(tx, id)
    if (before === undefined) throw notFound()
    refuseIfDisabled(before)
    const after = await changeFields(ctx, tx, before, input, before.userId)
    // Writes see one another's changes, on both databases: a row that was read in the write cannot have another status.
    if (after === undefined) throw new Error(`activity ${id} changed while it was being written`)
    if (after === before) return { result: before, logged: 'unchanged' }
    const logged = { targetId: id, targetName: before.name, before: loggedFields(before), after: loggedFields(after) }
    return { result: after, logged }
  })
  return viewOf(ctx, row)
}

/** Without the codes that people need to take part. `version` always differs, so that a change of a code is logged too. */
const loggedFields = (row: ActivityRow) => ({
  name: row.name,
  description: row.description,
  descriptionFormat: row.descriptionFormat,
  region: [row.province, row.city, row.district],
  location: row.location,
  latitude: row.latitude,
  longitude: row.longitude,
  startTime: row.startTime,
  endTime: row.endTime,
  timeZone: row.timeZone,
  language: row.language,
  contactEmail: row.contactEmail,
  autoNotices: row.autoNotices,
  coverFileId: row.coverFileId,
  visibility: row.visibility,
  hasCheckIn: row.hasCheckIn,
  hasPass: row.hasPass,
  checkInConfig: withoutCode(row.checkInConfig),
  passConfig: { ...row.passConfig, templateId: row.passTemplateId, autoIssue: row.autoIssue },
  registration: row.registration && { ...row.registration, capacity: row.capacity || null },
  version: row.version,
})

function withoutCode(config: ActivityRow['checkInConfig']): Omit<ActivityRow['checkInConfig'], 'shortCode'> {
  const { shortCode: _, ...rest } = config
  return rest
}
