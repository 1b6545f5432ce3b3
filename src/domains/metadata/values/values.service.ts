import type { AppContext } from '#context'
import { orgOf, type OwnerKey, ownerKey } from '#db/owner-key.ts'
import type { Db, Tx } from '#db/store.ts'
import { can } from '#domains/access/index.ts'
import type { MetaEntity, MetaObject } from '#domains/contributions.ts'
import type { LostFiles } from '#domains/events.ts'
import { giveToOrganization, releaseFile, type StorageQuota } from '#domains/files/index.ts'
import type { FindOrganization, Owner } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import type { Locale } from '#lib/localized.ts'

import { type InForce, templatesInForce } from '../bindings/bindings.store.ts'
import { visibleFields } from '../fields/fields.store.ts'
import { fieldOwners, GLOBAL, scopeOf, shownFieldName } from '../metadata.rules.ts'
import { metaObject } from '../objects/objects.service.ts'
import { isEnabled } from '../objects/objects.store.ts'
import { planValues, type ValueInput } from './planning.service.ts'
import type { EntityValues } from './reading.rules.ts'
import { computeValues, fieldSet, shownValues, type Viewer } from './reading.service.ts'
import { mayRead } from './search.service.ts'
import { type EntityValues as EntityValuesView, type FieldRow, type FieldValue, MAX_DELETED } from './values.model.ts'
import { isFileField } from './values.rules.ts'
import * as store from './values.store.ts'

/** An entity in a path. */
interface EntityParams {
  readonly objectName: string
  readonly entityId: number
}

/** The organization of the entity that a path names, for dual operations. */
export const organizationOfEntity: FindOrganization = async (db, id, { ctx, params }) => {
  const [entity] = (await metaObject(ctx, String(params['objectName']))?.findEntities(db, [id])) ?? []
  return entity === undefined ? undefined : orgOf(entity.owner)
}

/** @throws AppError 404 if metadata of the object is disabled, or the owner has no such entity that the caller sees */
async function findEntity(
  ctx: AppContext,
  db: Db | Tx,
  owner: Owner,
  { objectName, entityId }: EntityParams,
): Promise<{ readonly object: MetaObject; readonly entity: MetaEntity }> {
  const object = metaObject(ctx, objectName)
  if (object === undefined || !(await isEnabled(db, objectName))) throw notFound()
  const [entity] = await object.findEntities(db, [entityId])
  if (entity?.owner !== ownerKey(owner) || !(await mayRead(ctx, owner.userId, entity.owner, object))) throw notFound()
  return { object, entity }
}

interface Options {
  readonly includeDeleted?: boolean
  readonly locale: Locale
}

export async function getValues(
  ctx: AppContext,
  owner: Owner,
  params: EntityParams,
  options: Options,
): Promise<EntityValuesView> {
  const { entity } = await findEntity(ctx, ctx.db.read, owner, params)
  return viewOf(ctx, owner, params.objectName, entity, options, await mayWrite(ctx, owner))
}

const mayWrite = async (ctx: AppContext, { userId, orgId }: Owner): Promise<boolean> =>
  can(ctx, userId, orgId === 0 ? 'APP' : 'ORG', orgId, 'meta_value:update')

/** Changes all of the values or none. */
export async function updateValues(
  ctx: AppContext,
  owner: Owner,
  params: EntityParams,
  values: readonly ValueInput[],
  locale: Locale,
): Promise<EntityValuesView> {
  await ctx.db.write('metadata.updateValues', async (tx) => {
    const { object, entity } = await findEntity(ctx, tx, owner, params)
    const [plan] = await planValues(ctx, tx, owner, params.objectName, [{ entity, values, path: 'body.values' }])
    const { columns, columnPaths, changes } = plan!
    await plan!.apply(entity.id)
    // Also without a fixed column: the version of the entity rises.
    if (changes || Object.keys(columns).length > 0)
      await object.updateColumns?.(ctx, tx, owner, entity, columns, (column) => columnPaths[column] ?? 'body.values')
  })
  return getValues(ctx, owner, params, { locale })
}

/** The values of an asset for administrators: those that its owner sees, without those in fields of other users. */
export async function getAssetFields(ctx: AppContext, entityId: number, locale: Locale): Promise<EntityValuesView> {
  const [entity] = (await metaObject(ctx, 'asset')?.findEntities(ctx.db.read, [entityId])) ?? []
  if (entity === undefined) throw notFound()
  const { owner } = entity
  const viewer: Viewer = { userId: Math.max(0, -owner), orgId: orgOf(owner), everyone: true }
  return viewOf(ctx, viewer, 'asset', entity, { locale }, false)
}

async function viewOf(
  ctx: AppContext,
  viewer: Viewer,
  objectName: string,
  entity: MetaEntity,
  { includeDeleted, locale }: Options,
  isWriter: boolean,
): Promise<EntityValuesView> {
  const db = ctx.db.read
  const inForce = await templatesInForce(db, objectName, entity, viewer)
  const visible = await fieldSet(db, await visibleFields(db, objectName, viewer))
  const [values] = await computeValues(db, objectName, visible, [entity])
  const rest = new Set(visible.fields)
  const ordered = inForce.fields.flatMap(({ fieldId }) => {
    const field = visible.byId.get(fieldId)
    return field !== undefined && rest.delete(field) ? [field] : []
  })
  const shown = await items(ctx, viewer, [...ordered, ...rest], values!, inForce, locale)
  const live = shown.map((item) => ({ ...item, writable: isWriter && item.type !== 'COMPUTED' }))
  const deleted = includeDeleted === true ? await deletedItems(ctx, viewer, objectName, entity, inForce, locale) : []
  const isMissing = ({ required, value, type }: FieldValue): boolean =>
    required && value === null && type !== 'COMPUTED'
  return { items: [...live, ...deleted], missingRequired: live.filter(isMissing).map(({ fieldId }) => fieldId) }
}

async function items(
  ctx: AppContext,
  viewer: Viewer,
  fields: readonly FieldRow[],
  values: EntityValues,
  inForce: InForce,
  locale: Locale,
): Promise<FieldValue[]> {
  const found = fields.map((field) => ({ values, field }))
  const shown = await shownValues(ctx, ctx.db.read, viewer, found)
  const places = new Map(inForce.fields.map((place) => [place.fieldId, place]))
  return fields.map((field, i) => {
    const place = places.get(field.id)
    return {
      fieldId: field.id,
      key: field.key,
      name: shownFieldName(field, locale),
      type: field.type,
      scope: scopeOf(field.owner),
      config: field.config,
      entityColumn: field.entityColumn,
      templateId: place?.templateId ?? null,
      group: place?.group || ((field.config['group'] as string | undefined) ?? ''),
      order: place?.order ?? null,
      required: place?.required === true || field.config['required'] === true,
      writable: false,
      value: shown[i] ?? null,
    }
  })
}

async function deletedItems(
  ctx: AppContext,
  viewer: Viewer,
  objectName: string,
  entity: MetaEntity,
  inForce: InForce,
  locale: Locale,
): Promise<FieldValue[]> {
  const db = ctx.db.read
  const of = { objectName, owners: [entity.owner], entityIds: [entity.id] }
  const fields = await fieldSet(db, await store.deletedFieldsWithValue(db, of, fieldOwners(viewer), MAX_DELETED))
  const [values] = await computeValues(db, objectName, fields, [entity])
  const shown = await items(ctx, viewer, fields.fields, values!, inForce, locale)
  return shown.map((item) => ({ ...item, required: false, deleted: true as const }))
}

/** Whether the user may see a value and so its files: both its entity and its field. */
export async function mayReadValue(ctx: AppContext, userId: number, valueId: number): Promise<boolean> {
  const db = ctx.db.read
  const value = await store.findValueWithField(db, valueId)
  if (value === undefined || (value.fieldOwner < 0 && value.fieldOwner !== -userId)) return false
  const { objectName, owner, entityId } = value
  const object = metaObject(ctx, objectName)
  if (object === undefined || !(await isEnabled(db, objectName))) return false
  if (!(await mayRead(ctx, userId, owner, object))) return false
  if (owner > 0 && !(await can(ctx, userId, 'ORG', owner, 'meta_value:read'))) return false
  return (await object.findEntities(db, [entityId])).length > 0
}

/**
 * Moves the values of an entity that gets another owner. Those in fields of users, and in fields that the new owner does not have, are
 * deleted with their files; the files of the others then count for the new owner, an organization. `storageQuota`: of that organization.
 * @throws AppError 429 if the quota does not allow it
 */
export async function changeOwner(
  ctx: AppContext,
  tx: Tx,
  objectName: string,
  entityId: number,
  from: OwnerKey,
  to: OwnerKey,
  storageQuota: StorageQuota,
): Promise<void> {
  const rows = await store.allValuesOf(tx, objectName, entityId, from)
  const stays = ({ fieldOwner }: (typeof rows)[number]): boolean => fieldOwner === GLOBAL || fieldOwner === to
  const left = rows.filter((row) => !stays(row))
  await store.deleteValues(
    tx,
    from,
    left.map(({ id }) => id),
  )
  for (const row of left) if (isFileField(row)) await releaseFile(ctx, tx, row.number!)
  for (const row of rows)
    if (isFileField(row) && stays(row)) await giveToOrganization(tx, row.number!, orgOf(to), storageQuota)
  await store.setOwner(tx, objectName, entityId, from, to)
}

/** Takes deleted files away from values, which change for clients that synchronize. */
export async function forgetFiles(ctx: AppContext, tx: Tx, { fileIds, entityIds }: LostFiles): Promise<void> {
  const deleted = await store.deleteFileValues(tx, entityIds, fileIds)
  for (const [objectName, rows] of Map.groupBy(deleted, (row) => row.objectName))
    await metaObject(ctx, objectName)?.touch?.(tx, [...new Set(rows.map((row) => row.entityId))])
}
