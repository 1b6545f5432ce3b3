/** Activities: creating, listing, changing and deleting them. */

import { type AppContext, perContext } from '#context'
import { OwnerCounts } from '#db/owner-counts.ts'
import { orgOf, type OwnerKey, ownerKey } from '#db/owner-key.ts'
import { mapPage, type Page, readerFor } from '#db/paging.ts'
import type { Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import { provedEmailsOf } from '#domains/accounts/index.ts'
import { hasMailServer } from '#domains/delivery/index.ts'
import { emit } from '#domains/domain.ts'
import type { LostFiles } from '#domains/events.ts'
import { attachFile, releaseFile, setPublic } from '#domains/files/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Owner } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { organizationDisabled } from '#http/permissions.ts'
import { invalidAll } from '#http/validate.ts'
import type { Locale } from '#lib/localized.ts'
import type { DualPoint } from '#permission-points'
import { serverZone } from '#platform/clock.ts'

import * as errors from '../activities.errors.ts'
import { type ActivityRow, findActivity } from '../activities.store.ts'
import { currentKey } from '../pass-keys/pass-keys.service.ts'
import { setDue } from '../passes/due-issues.store.ts'
import { countLive } from '../passes/passes.store.ts'
import { fillPlaces } from '../registrations/places.service.ts'
import { recordOpening } from '../visibility/personal-codes.service.ts'
import {
  type Asking,
  manageActivity,
  MANAGER_POINT,
  manages,
  refuseIfDisabled,
  seeActivity,
  seesWithoutCode,
} from '../visibility/visibility.service.ts'
import type {
  ActivityItem,
  ActivityView,
  CreateActivity,
  ListQuery,
  SetStatus,
  UpdateActivity,
} from './register.model.ts'
import {
  type ActivityFields,
  canBecome,
  canBeDeleted,
  canBeEdited,
  differences,
  fieldsOf,
  hasPublicCover,
  isUnfiltered,
  NEW_ACTIVITY,
  problemsOf,
} from './register.rules.ts'
import * as store from './register.store.ts'
import { listItem, toView } from './register.view.ts'

/**
 * Whose activities a request is about: `orgId`, or `ownerType` and `ownerId`. `isChecked`: the organization is that of `orgId`, in which
 * the server has checked the permission. @throws AppError 400 if they name different owners
 */
function ownerNamed(
  owner: Owner,
  {
    ownerType,
    ownerId,
  }: { readonly ownerType?: string | null | undefined; readonly ownerId?: number | null | undefined },
  where: 'body' | 'query',
): Owner & { readonly isChecked: boolean } {
  const { userId, orgId } = owner
  if (orgId !== 0) {
    if (ownerType === 'PERSONAL') throw invalidAll([errors.ownersDisagree(`${where}.ownerType`)])
    if (ownerId != null && ownerId !== orgId) throw invalidAll([errors.ownersDisagree(`${where}.ownerId`)])
    return { userId, orgId, isChecked: true }
  }
  if (ownerType !== 'ORGANIZATION') return { userId, orgId: 0, isChecked: true }
  if (ownerId == null) throw invalidAll([errors.ownerNeeded(`${where}.ownerId`)])
  return { userId, orgId: ownerId, isChecked: false }
}

/** @throws AppError 403 if the caller does not hold the point in the organization */
async function checkedOwner(ctx: AppContext, given: ReturnType<typeof ownerNamed>, point: DualPoint): Promise<Owner> {
  const { userId, orgId, isChecked } = given
  if (!isChecked) await access.requirePoint(ctx, userId, orgId, point)
  return { userId, orgId }
}

/** Registrations issue passes in their own writes, which make no key. */
async function prepareKey(ctx: AppContext, { passConfig }: UpdateActivity): Promise<void> {
  if (passConfig?.autoIssue) await currentKey(ctx)
}

/** `locale`: the language of the request, which the activity gets unless `input` names one. */
export async function createActivity(
  ctx: AppContext,
  caller: Owner,
  input: CreateActivity,
  locale: Locale,
): Promise<ActivityView> {
  const owner = await checkedOwner(ctx, ownerNamed(caller, input, 'body'), 'activity:create')
  const quota = await getSetting(ctx, 'quota.activities')
  await prepareKey(ctx, input)
  const row = await ctx.db.write('activities.create', (tx) =>
    addActivity(ctx, tx, owner, { ...input, language: input.language ?? locale }, quota),
  )
  return toView(ctx, row, { isManager: true })
}

/**
 * `input` without a zone gets that of the creator's latest activity, or else of the server. `quota`: activities that the owner may have; 0 = unlimited. */
export async function addActivity(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  input: CreateActivity,
  quota: number,
): Promise<ActivityRow> {
  const timeZone = input.timeZone ?? (await store.latestZone(tx, owner.userId)) ?? serverZone()
  const fields = fieldsOf({ ...input, timeZone }, NEW_ACTIVITY)
  await checkFields(ctx, tx, fields, input, owner, NEW_ACTIVITY)
  await checkRoom(ctx, tx, owner, 1, quota)
  const created = await store.insertActivity(tx, owner, fields)
  await changeCover(ctx, tx, owner, created, null)
  return created
}

/** Adds copies of activities without their covers, all or none. `quota` as above. @throws AppError 400, 429 */
export async function addCopies(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  copies: readonly ActivityFields[],
  { quota, seriesId }: { readonly quota: number; readonly seriesId: string | null },
): Promise<ActivityRow[]> {
  await checkRoom(ctx, tx, owner, copies.length, quota)
  const added: ActivityRow[] = []
  for (const fields of copies) {
    const problems = problemsOf(fields, {}, owner.orgId)
    if (problems.length > 0) throw invalidAll(problems)
    added.push(await store.insertActivity(tx, owner, fields, seriesId))
  }
  return added
}

/** The values of `before` stay allowed, even if another user has proved the address. @throws AppError 400 with all problems */
async function checkFields(
  ctx: AppContext,
  tx: Tx,
  fields: ActivityFields,
  input: UpdateActivity,
  owner: Owner,
  before: ActivityFields,
): Promise<void> {
  const problems = problemsOf(fields, input, owner.orgId)
  if (fields.registration?.guests && before.registration?.guests !== true) {
    // Settings are cached.
    if (!(await getSetting(ctx, 'guests.enabled'))) problems.push(errors.guestsDisabled('body.registration.guests'))
    else if (!hasMailServer(ctx)) problems.push(errors.guestsNeedMail('body.registration.guests'))
  }
  const templateId = input.passConfig?.templateId
  if (templateId != null && !(await store.hasTemplate(tx, ownerKey(owner), templateId)))
    problems.push(errors.noSuchTemplate('body.passConfig.templateId'))
  const { contactEmail } = fields
  const isOtherContact = contactEmail !== null && contactEmail !== before.contactEmail
  if (isOtherContact && !(await provedEmailsOf(tx, owner.userId)).includes(contactEmail))
    problems.push(errors.unprovedContact('body.contactEmail'))
  if (problems.length > 0) throw invalidAll(problems)
}

const counts = perContext(() => new OwnerCounts((owner) => ['activities.owner', owner], store.countOwned))

/** Refuses so many new activities if the owner would then have more than `quota`, or if the organization has been dissolved or disabled. */
async function checkRoom(ctx: AppContext, tx: Tx, owner: Owner, added: number, quota: number): Promise<void> {
  if (owner.orgId !== 0) {
    const status = await store.findOrgStatus(tx, owner.orgId)
    if (status === undefined) throw notFound()
    if (status === 'DISABLED') throw organizationDisabled
  }
  if (!(await counts(ctx).add(tx, ownerKey(owner), added, quota))) throw errors.quotaReached(quota)
}

/** Attaches the cover of the row, which has replaced the cover `before`, and makes it public if the activity is. */
async function changeCover(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  row: ActivityRow,
  before: number | null,
): Promise<void> {
  const { id, coverFileId } = row
  const isPublic = hasPublicCover(row)
  if (coverFileId === before) {
    if (coverFileId !== null) await setPublic(tx, coverFileId, isPublic)
    return
  }
  if (coverFileId !== null) {
    const to = { type: 'activity', entityType: 'ACTIVITY', entityId: id, isPublic, path: 'body.coverFileId' } as const
    await attachFile(tx, owner, coverFileId, to)
  }
  if (before !== null) await releaseFile(ctx, tx, before)
}

export async function getActivity(ctx: AppContext, id: number, asking: Asking): Promise<ActivityView> {
  const { row, isManager } = await seeActivity(ctx, id, asking)
  if (!isManager) await recordOpening(ctx, id, asking.code)
  return toView(ctx, row, { isManager, isMember: await isMember(ctx, asking.viewer.userId, row) })
}

const isMember = (ctx: AppContext, userId: number, { owner }: ActivityRow) =>
  orgOf(owner) !== 0 && access.isMemberOf(ctx, userId, orgOf(owner))

/** The view for somebody who has just changed it, which some may who do not manage the activity as a whole. */
async function changedView(ctx: AppContext, row: ActivityRow, { viewer }: Asking): Promise<ActivityView> {
  return toView(ctx, row, { isManager: await manages(ctx, viewer.userId, row, MANAGER_POINT), isMember: true })
}

export async function listActivities(ctx: AppContext, caller: Owner, query: ListQuery): Promise<Page<ActivityItem>> {
  const isAnothers =
    caller.orgId === 0 && query.ownerType !== 'ORGANIZATION' && (query.ownerId ?? caller.userId) !== caller.userId
  if (isAnothers) throw errors.notYourList()
  if (query.registered === true) return listRegistered(ctx, caller, query)
  const owner = await checkedOwner(ctx, ownerNamed(caller, query, 'query'), 'activity:read')
  const section = await sectionFor(ctx, owner)
  return mapPage(await rowsPage(ctx, owner, section, query), (row) =>
    listItem(ctx, row, { isManager: section.unlisted === 'all' || row.userId === owner.userId, isMember: true }),
  )
}

async function listRegistered(ctx: AppContext, caller: Owner, query: ListQuery): Promise<Page<ActivityItem>> {
  const { userId } = caller
  if (ownerNamed(caller, query, 'query').orgId !== 0) throw invalidAll([errors.ofAllOwners('query.registered')])
  const readable: number[] = []
  for (const orgId of await ctx.db.search(userId, (db) => store.restrictedTo(db, userId)))
    if (await access.can(ctx, userId, 'ORG', orgId, 'activity:read')) readable.push(orgId)
  const page = await ctx.db.search(userId, (db) =>
    store.registeredPage(db, { userId, readable }, query, ctx.clock.now()),
  )
  const items = page.items.map(async (row) =>
    listItem(ctx, row, {
      isManager: await manages(ctx, userId, row, MANAGER_POINT),
      isMember: await isMember(ctx, userId, row),
    }),
  )
  return { ...page, items: await Promise.all(items) }
}

async function sectionFor(ctx: AppContext, owner: Owner): Promise<store.Section> {
  const { userId, orgId } = owner
  const key = ownerKey(owner)
  if (orgId === 0 || (await managesAll(ctx, userId, orgId))) return { owner: key, unlisted: 'all' }
  const hasOwn = await store.createdUnlisted(ctx.db.read, key, userId)
  return { owner: key, unlisted: hasOwn ? { createdBy: userId } : 'none' }
}

const managesAll = async (ctx: AppContext, userId: number, orgId: number): Promise<boolean> =>
  (await access.can(ctx, userId, 'ORG', orgId, MANAGER_POINT)) ||
  ((await store.findOrgStatus(ctx.db.read, orgId)) === 'DISABLED' &&
    access.roleHasPoint(ctx.db.read, userId, orgId, MANAGER_POINT))

async function rowsPage(
  ctx: AppContext,
  { userId }: Owner,
  section: store.Section,
  query: ListQuery,
): Promise<Page<ActivityRow>> {
  const { keyword } = query
  if (isUnfiltered(query) && typeof section.unlisted === 'string')
    return store.activitiesPage(ctx.db.read, section, query)
  const now = ctx.clock.now()
  if (keyword) return ctx.db.search(userId, (db) => store.searchActivities(db, section, { ...query, keyword }, now))
  const total = await store.countActivities(ctx.db.read, section.owner)
  return store.filteredPage(readerFor(ctx.db, total), section, query, now)
}

/** A change of an activity that the caller manages; `decide` is called with the row as the write finds it. */
async function change(
  ctx: AppContext,
  name: string,
  id: number,
  point: DualPoint,
  asking: Asking,
  decide: (tx: Tx, row: ActivityRow) => Promise<ActivityRow | undefined>,
): Promise<ActivityRow> {
  await manageActivity(ctx, id, point, asking)
  return ctx.db.write(`activities.${name}`, async (tx) => {
    const row = await findActivity(tx, id)
    if (row === undefined) throw notFound()
    refuseIfDisabled(row)
    const after = await decide(tx, row)
    // Writes see one another's changes, on both databases: a row that was read in the write cannot have another status.
    if (after === undefined) throw new Error(`activity ${id} changed while it was being written`)
    return after
  })
}

export async function updateActivity(
  ctx: AppContext,
  id: number,
  input: UpdateActivity,
  asking: Asking,
): Promise<ActivityView> {
  await prepareKey(ctx, input)
  const after = await change(ctx, 'update', id, 'activity:update', asking, (tx, row) =>
    changeFields(ctx, tx, row, input, asking.viewer.userId),
  )
  return changedView(ctx, after, asking)
}

/** `uploaderId`: the user whose upload a new cover must be. Returns the row itself if nothing changes. */
export async function changeFields(
  ctx: AppContext,
  tx: Tx,
  row: ActivityRow,
  input: UpdateActivity,
  uploaderId: number,
): Promise<ActivityRow | undefined> {
  const { id } = row
  if (!canBeEdited(row.status)) throw errors.isOver()
  const owner = { userId: uploaderId, orgId: orgOf(row.owner) }
  const fields = fieldsOf(input, row)
  await checkFields(ctx, tx, fields, input, owner, row)
  if (row.hasPass && !fields.hasPass && (await countLive(tx, id, ctx.clock.now())) > 0) throw errors.passesAreLive()
  const changes = differences(row, fields)
  const updated = await store.updateActivity(tx, row, changes)
  if (updated === undefined || updated === row) return updated
  await emit(ctx, tx, 'activity.changed', {
    before: row,
    after: updated,
    notify: input.notify,
    noticeText: input.noticeText,
  })
  await changeCover(ctx, tx, owner, updated, row.coverFileId)
  const { autoIssue, passConfig, passTemplateId } = changes
  const issuesOthers = [autoIssue, passConfig, passTemplateId].some((value) => value !== undefined)
  if (updated.autoIssue && issuesOthers) await setDue(tx, id, ctx.clock.now())
  // A later end too: waiting lists stay as they are when an activity is over.
  const { capacity, registration, endTime } = changes
  if ([capacity, registration, endTime].some((value) => value !== undefined)) await fillPlaces(ctx, tx, id)
  return findActivity(tx, id)
}

/** The status that the activity has already changes nothing. */
export async function setStatus(
  ctx: AppContext,
  id: number,
  { status, ...notice }: SetStatus,
  asking: Asking,
): Promise<ActivityView> {
  const after = await change(ctx, 'setStatus', id, 'activity:publish', asking, async (tx, row) => {
    if (row.status === status) return row
    if (!canBecome(row.status, status)) throw errors.cannotBecome(row.status, status)
    const updated = await store.updateActivity(
      tx,
      row,
      canBeEdited(status) ? { status } : { status, endedAt: tx.stamp },
    )
    if (updated !== undefined) await emit(ctx, tx, 'activity.changed', { before: row, after: updated, ...notice })
    if (updated?.coverFileId == null) return updated
    await setPublic(tx, updated.coverFileId, hasPublicCover(updated))
    return findActivity(tx, id)
  })
  return changedView(ctx, after, asking)
}

export async function resetInviteCode(ctx: AppContext, id: number, asking: Asking): Promise<ActivityView> {
  const after = await change(ctx, 'resetInviteCode', id, 'activity:update', asking, async (tx, row) => {
    if (row.visibility !== 'INVITE_ONLY') throw errors.noInviteCode()
    return store.renewInviteCode(tx, row)
  })
  return changedView(ctx, after, asking)
}

/** Its rows stay for statistics, but no operation finds it. The cover is deleted. */
export async function deleteActivity(ctx: AppContext, id: number, asking: Asking): Promise<void> {
  await change(ctx, 'delete', id, 'activity:delete', asking, async (tx, row) => {
    if (!canBeDeleted(row.status)) throw errors.deleteWhileActive()
    return markDeleted(ctx, tx, row)
  })
}

/** Activities that lose their cover before other requests run: about 5 ms. */
const COVERS_PER_TURN = 20

/** Takes deleted files away from the activities whose covers they were. */
export async function clearCovers(tx: Tx, { fileIds, entityIds }: LostFiles): Promise<void> {
  const lost = new Set(fileIds)
  for (const [i, id] of entityIds.entries()) {
    const row = await findActivity(tx, id)
    if (row?.coverFileId != null && lost.has(row.coverFileId))
      await store.updateActivity(tx, row, { coverFileId: null })
    if (i % COVERS_PER_TURN === COVERS_PER_TURN - 1) await tx.pause()
  }
}

/** From now on no operation finds the activity, nor its check-ins, passes and registrations. */
export async function markDeleted(ctx: AppContext, tx: Tx, row: ActivityRow): Promise<ActivityRow | undefined> {
  await emit(ctx, tx, 'labelled.deleting', { kind: 'ACTIVITY', ids: [row.id] })
  if (row.coverFileId !== null) await releaseFile(ctx, tx, row.coverFileId)
  return store.updateActivity(tx, row, { deletedAt: tx.stamp, coverFileId: null })
}

/** Whether the user may see an activity, and so its cover. */
export async function mayRead(ctx: AppContext, userId: number, id: number): Promise<boolean> {
  const row = await findActivity(ctx.db.read, id)
  return row !== undefined && seesWithoutCode(ctx, userId, row)
}

/** Statements that cancel an activity and tell its participants. */
const STATEMENTS_OF_CANCELLATION = 5

/** Cancels ACTIVE personal activities of a deleted user. Drafts and activities that are over stay as they are. As `RemoveRemains`. */
export async function cancelActivities(ctx: AppContext, tx: Tx, owner: OwnerKey, limit: number): Promise<number> {
  if (owner > 0) return 0
  const rows = await store.cancelActive(tx, owner, Math.ceil(limit / STATEMENTS_OF_CANCELLATION))
  for (const before of rows)
    await emit(ctx, tx, 'activity.changed', { before, after: { ...before, status: 'CANCELLED' } })
  return rows.length * STATEMENTS_OF_CANCELLATION
}
