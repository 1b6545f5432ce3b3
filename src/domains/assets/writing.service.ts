/**
 * The writes of assets, one or many at a time: requests, imports and clients that synchronize all come here. Each function runs in a
 * write, checks every item, and changes nothing unless all of them are right. The number of queries grows with every 500 items, not
 * with each.
 */

import { type AppContext, perContext } from '#context'
import { OwnerCounts, ownerExists } from '#db/owner-counts.ts'
import { orgOf, ownerKey } from '#db/owner-key.ts'
import type { Tx } from '#db/store.ts'
import type { SyncRevival } from '#domains/contributions.ts'
import { attachFile, findFiles, isImage, releaseFile } from '#domains/files/index.ts'
import { visibleFields } from '#domains/metadata/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Owner } from '#http/endpoint.ts'
import { type FieldProblem, notFound } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import { serverZone } from '#platform/clock.ts'

import { insertTransfers, type NewTransfer, type TransferRow } from './history.store.ts'
import { type FormatNumber, formatter, numberKey } from './numbers.rules.ts'
import { takenNumbers, takeNumbers } from './numbers.store.ts'
import * as errors from './register/register.errors.ts'
import {
  type AssetChange,
  changeProblems,
  fieldIdOf,
  type NewFields,
  newFields,
  positionProblem,
} from './register/register.rules.ts'
import * as store from './register/register.store.ts'

/** Settings that a write needs. Read them before the write, which awaits nothing but the database. */
export interface Limits {
  /** Assets that an owner may have; 0 = unlimited. */
  readonly quota: number
  readonly format: FormatNumber
}

export async function limitsOf(ctx: AppContext): Promise<Limits> {
  const today = Temporal.Instant.fromEpochMilliseconds(ctx.clock.now()).toZonedDateTimeISO(serverZone()).toPlainDate()
  return {
    quota: await getSetting(ctx, 'quota.assets'),
    format: formatter(await getSetting(ctx, 'assets.numberPattern'), today),
  }
}

export interface NewItem {
  readonly name: string
  readonly change: AssetChange
  /** Of the object with the fields, for errors: `body`, or `rows.5` of an import. */
  readonly path: string
  /** The id and the version of an asset that was deleted permanently and comes back. */
  readonly revived?: SyncRevival
}

export interface InsertOptions {
  /** Whether new assets may be scrapped already, as in an import. */
  readonly acceptScrapped?: boolean
}

/** @throws AppError 400 with all problems, 404 if the organization is gone, 429 if the quota does not allow them */
export async function insertAssets(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  { quota, format }: Limits,
  items: readonly NewItem[],
  { acceptScrapped = false }: InsertOptions = {},
): Promise<store.AssetRow[]> {
  const problems: FieldProblem[] = []
  const fields = items.map(({ name, change }) => newFields(change, name))
  for (const [i, { status, latitude, longitude }] of fields.entries()) {
    const { path } = items[i]!
    if (status === 'SCRAPPED' && !acceptScrapped) problems.push(errors.scrapSeparately(`${path}.status`))
    problems.push(...positionProblem({ latitude, longitude }, path))
  }
  const checked = items.map(({ path }, i) => ({ change: fields[i]!, path }))
  problems.push(...(await referenceProblems(tx, owner, checked)))
  await checkRoom(ctx, tx, owner, quota, items.length)
  problems.push(...(await numberProblems(tx, owner, checked)), ...(await publicFieldProblems(tx, owner, checked)))
  if (problems.length > 0) throw invalidAll(problems)
  const all = await numbered(tx, owner, format, fields, items)
  const rows = await store.insertRows(
    tx,
    owner,
    all.map((asset, i) => ({ ...asset, ...items[i]!.revived })),
  )
  for (const [i, row] of rows.entries())
    await changePhotos(ctx, tx, owner, row.id, { before: [], after: row.photoIds, path: items[i]!.path })
  return rows
}

/** Gives numbers to the assets that have none. */
async function numbered(
  tx: Tx,
  owner: Owner,
  format: FormatNumber,
  fields: readonly NewFields[],
  items: readonly NewItem[],
): Promise<NewFields[]> {
  const given = new Set(fields.flatMap(({ assetNo }) => (assetNo === '' ? [] : [numberKey(assetNo)])))
  const wanted = fields.filter(({ assetNo }) => assetNo === '').length
  const free = await takeNumbers(tx, ownerKey(owner), format, wanted, given)
  if (free.length < wanted) {
    const first = fields.findIndex(({ assetNo }) => assetNo === '')
    throw invalidAll([errors.noFreeNumber(`${items[first]!.path}.assetNo`)])
  }
  let next = 0
  return fields.map((asset) => (asset.assetNo === '' ? { ...asset, assetNo: free[next++]! } : asset))
}

export interface ChangedItem extends store.RowChange {
  readonly path: string
}

export interface UpdateOptions {
  /** Of the rows of the history. */
  readonly note?: string
  /** Whether assets may become scrapped. */
  readonly acceptScrapped?: boolean
  /** Whether they get a former state, which they may have had before they were scrapped. */
  readonly isRestore?: boolean
}

export interface Updated {
  /** In the order of the items. */
  readonly rows: readonly store.AssetRow[]
  /** The rows of the history for assets whose custodian or location changed. */
  readonly transfers: readonly TransferRow[]
}

/** @throws AppError 400 with all problems */
export async function updateAssets(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  items: readonly ChangedItem[],
  { note = '', ...allowed }: UpdateOptions = {},
): Promise<Updated> {
  const problems: FieldProblem[] = []
  for (const { row, change, path } of items) {
    problems.push(...changeProblems(row, change, path, allowed), ...positionProblem({ ...row, ...change }, path))
  }
  problems.push(
    ...(await referenceProblems(tx, owner, items)),
    ...(await numberProblems(tx, owner, items)),
    ...(await publicFieldProblems(tx, owner, items)),
  )
  if (problems.length > 0) throw invalidAll(problems)
  for (const { row, change, path } of items)
    if (change.photoIds !== undefined)
      await changePhotos(ctx, tx, owner, row.id, { before: row.photoIds, after: change.photoIds, path })
  const rows = await store.updateRows(tx, items)
  const moved = items.flatMap(({ row }, i) => {
    const after = rows[i]!
    return row.custodianId === after.custodianId && row.locationId === after.locationId ? [] : [{ before: row, after }]
  })
  return { rows, transfers: await recordTransfers(tx, owner, moved, note) }
}

/**
 * Brings a deleted asset back with a change. It loses what it referred to if that is gone. Its photos were deleted with it, so the change
 * may still name them. @throws AppError as `insertAssets`
 */
export async function restoreAsset(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  { quota }: Limits,
  { row, change, path, touched = false }: ChangedItem,
  options: UpdateOptions = {},
): Promise<Updated> {
  const number = numberKey(change.assetNo || row.assetNo)
  const problems = await referenceProblems(tx, owner, [{ change, path }])
  if ((await takenNumbers(tx, ownerKey(owner), [number])).size > 0) problems.push(errors.numberTaken(`${path}.assetNo`))
  if (problems.length > 0) throw invalidAll(problems)
  await checkRoom(ctx, tx, owner, quota, 1)
  const { categoryId, locationId, custodianId } = row
  const kept = await possibleChange(tx, owner, undefined, { categoryId, locationId, custodianId })
  const photoIds = await presentFiles(tx, change.photoIds ?? [])
  const restored = { ...kept, ...change, photoIds, deletedAt: null }
  return updateAssets(ctx, tx, owner, [{ row, change: restored, path, touched }], options)
}

/** A change to a former state, without photos that were deleted and with null for references to things that were. */
export async function possibleChange(
  tx: Tx,
  owner: Owner,
  row: store.AssetRow | undefined,
  change: AssetChange,
): Promise<AssetChange> {
  const missing = await referenceProblems(tx, owner, [{ ...(row && { row }), change, path: 'row' }])
  const cleared = Object.fromEntries(missing.map(({ path }) => [path.slice('row.'.length), null]))
  const photoIds = change.photoIds && (await presentFiles(tx, change.photoIds))
  return { ...change, ...cleared, ...(photoIds && { photoIds }) }
}

async function presentFiles(tx: Tx, ids: readonly number[]): Promise<number[]> {
  const present = new Set((await findFiles(tx, ids)).map(({ id }) => id))
  return ids.filter((id) => present.has(id))
}

/** An asset before and after its custodian, location or owner changed. */
interface Moved {
  readonly before: store.AssetRow
  readonly after: store.AssetRow
}

/** Adds rows to the history. Names are kept as they are now. */
export async function recordTransfers(
  tx: Tx,
  { userId }: { readonly userId: number },
  moved: readonly Moved[],
  note: string,
): Promise<TransferRow[]> {
  if (moved.length === 0) return []
  const orgId = orgOf(moved[0]!.after.owner)
  const all = moved.flatMap(({ before, after }) => [before, after])
  const users = await store.userNames(tx, orgId, [userId, ...present(all.map((row) => row.custodianId))])
  const locations = await store.locationNames(tx, orgId, present(all.map((row) => row.locationId)))
  const nameOf = (names: ReadonlyMap<number, string>, id: number | null) =>
    id === null ? null : (names.get(id) ?? null)
  return insertTransfers(
    tx,
    moved.map(({ before, after }): NewTransfer => {
      const isGiven = before.owner !== after.owner
      return {
        assetId: after.id,
        fromUserId: before.custodianId,
        fromUserName: nameOf(users, before.custodianId),
        toUserId: after.custodianId,
        toUserName: nameOf(users, after.custodianId),
        fromLocationId: before.locationId,
        fromLocationName: nameOf(locations, before.locationId),
        toLocationId: after.locationId,
        toLocationName: nameOf(locations, after.locationId),
        fromOrgId: isGiven ? orgOf(before.owner) || null : null,
        toOrgId: isGiven ? orgOf(after.owner) || null : null,
        note,
        operatorId: userId,
        operatorName: users.get(userId) ?? '',
      }
    }),
  )
}

const present = (ids: readonly (number | null | undefined)[]): number[] => [
  ...new Set(ids.filter((id) => id !== null && id !== undefined)),
]

/** Those of the public fields that assets of the owner can have: fields of metadata are GLOBAL or the owner's. */
export async function publishable(tx: Tx, owner: Owner, publicFields: readonly string[]): Promise<string[]> {
  if (publicFields.every((name) => fieldIdOf(name) === undefined)) return [...publicFields]
  const visible = await visibleFields(tx, 'asset', owner)
  const ids = new Set(
    visible.filter((field) => field.owner === 0 || field.owner === ownerKey(owner)).map(({ id }) => id),
  )
  return publicFields.filter((name) => fieldIdOf(name) === undefined || ids.has(fieldIdOf(name)!))
}

/** Problems of public fields that name no field. Names that an asset has already are not checked again. */
async function publicFieldProblems(tx: Tx, owner: Owner, items: readonly Checked[]): Promise<FieldProblem[]> {
  const given = items.map(({ row, change }) =>
    (change.publicFields ?? []).filter((name) => !row?.publicFields.includes(name)),
  )
  const known = new Set(await publishable(tx, owner, [...new Set(given.flat())]))
  return items.flatMap(({ change, path }, i) =>
    given[i]!.filter((name) => !known.has(name)).map((name) =>
      errors.notPublishable(`${path}.publicFields.${change.publicFields!.indexOf(name)}`),
    ),
  )
}

/** A new asset, or the change of one. */
interface Checked {
  readonly row?: store.AssetRow
  readonly change: AssetChange
  readonly path: string
}

/** Problems of ids that do not exist or belong to another owner. Ids that an asset has already are not checked again. */
export async function referenceProblems(tx: Tx, owner: Owner, items: readonly Checked[]): Promise<FieldProblem[]> {
  const given = (item: Checked, name: 'categoryId' | 'locationId' | 'custodianId') => {
    const id = item.change[name]
    return id === item.row?.[name] && item.row?.owner === ownerKey(owner) ? null : id
  }
  const ids = (name: 'categoryId' | 'locationId' | 'custodianId') => present(items.map((item) => given(item, name)))
  const categories = await store.knownCategories(tx, ownerKey(owner), ids('categoryId'))
  const locations = await store.locationNames(tx, owner.orgId, ids('locationId'))
  const custodians =
    owner.orgId === 0 ? new Set([owner.userId]) : await store.membersAmong(tx, owner.orgId, ids('custodianId'))
  const isPersonal = owner.orgId === 0
  return items.flatMap((item) => {
    const problems: FieldProblem[] = []
    const at = (name: string) => `${item.path}.${name}`
    const [category, location, custodian] = [
      given(item, 'categoryId'),
      given(item, 'locationId'),
      given(item, 'custodianId'),
    ]
    if (category != null && !categories.has(category)) problems.push(errors.noSuchCategory(at('categoryId')))
    if (location != null && !locations.has(location))
      problems.push((isPersonal ? errors.noLocations : errors.noSuchLocation)(at('locationId')))
    if (custodian != null && !custodians.has(custodian))
      problems.push((isPersonal ? errors.notYourself : errors.noSuchMember)(at('custodianId')))
    return problems
  })
}

/** Problems of numbers that other assets have, or that two items give. */
async function numberProblems(tx: Tx, owner: Owner, items: readonly Checked[]): Promise<FieldProblem[]> {
  const keyOf = ({ row, change }: Checked): string | undefined => {
    const key = change.assetNo ? numberKey(change.assetNo) : undefined
    return key === row?.assetNoKey ? undefined : key
  }
  const keys = items.flatMap((item) => keyOf(item) ?? [])
  if (keys.length === 0) return []
  const taken = new Set((await takenNumbers(tx, ownerKey(owner), keys)).keys())
  return items.flatMap((item) => {
    const key = keyOf(item)
    if (key === undefined) return []
    if (taken.has(key)) return [errors.numberTaken(`${item.path}.assetNo`)]
    taken.add(key)
    return []
  })
}

/** Gives the asset these photos in this order, and deletes the files of those that it loses. */
async function changePhotos(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  assetId: number,
  { before, after, path }: { before: readonly number[]; after: readonly number[]; path: string },
): Promise<void> {
  for (const [i, photo] of after.entries()) {
    if (before.includes(photo)) continue
    const at = `${path}.photos.${i}`
    const file = await attachFile(tx, owner, photo, { type: 'asset', entityType: 'ASSET', entityId: assetId, path: at })
    if (!isImage(file)) throw invalidAll([errors.notAnImage(at)])
  }
  for (const photo of before) if (!after.includes(photo)) await releaseFile(ctx, tx, photo)
}

const counts = perContext(() => new OwnerCounts((owner) => ['assets.owner', owner], store.countOwned))

/** Refuses to add `adding` assets if the owner would then have more than `quota`, or if the organization has been dissolved. */
export async function checkRoom(ctx: AppContext, tx: Tx, owner: Owner, quota: number, adding: number): Promise<void> {
  const key = ownerKey(owner)
  if (!(await ownerExists(tx, key))) throw notFound()
  if (!(await counts(ctx).add(tx, key, adding, quota))) throw errors.quotaReached(quota)
}
