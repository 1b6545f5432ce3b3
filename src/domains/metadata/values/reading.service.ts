/** Reads the values of entities with a bounded number of queries, whatever their number. */

import type { AppContext } from '#context'
import { orgOf, type OwnerKey } from '#db/owner-key.ts'
import type { Db, Tx } from '#db/store.ts'
import { can } from '#domains/access/index.ts'
import type { MetaEntity, RefSource, RefTarget } from '#domains/contributions.ts'
import { contributions } from '#domains/domain.ts'
import { type FileRow, findFiles, urlsOf } from '#domains/files/index.ts'
import type { Owner } from '#http/endpoint.ts'
import type { Locale } from '#lib/localized.ts'
import { pause } from '#lib/pause.ts'
import { serverZone } from '#platform/clock.ts'

import { readableFields } from '../fields/fields.store.ts'
import { shownFieldName } from '../metadata.rules.ts'
import { EntityValues, FieldSet } from './reading.rules.ts'
import type { AssetValue, FieldRow } from './values.model.ts'
import { isFileField, StoredValues } from './values.rules.ts'
import { findValues, operandsOf } from './values.store.ts'

export async function fieldSet(db: Db | Tx, fields: readonly FieldRow[]): Promise<FieldSet> {
  const computed = fields.filter(({ type }) => type === 'COMPUTED').map(({ id }) => id)
  return new FieldSet(fields, await operandsOf(db, computed), serverZone())
}

/** Lets other requests run. */
export const pauseIn = (db: Db | Tx): Promise<void> => ('pause' in db ? db.pause() : pause())

/** Characters of formulas that are computed between two pauses, in one to two milliseconds. */
const FORMULAS_AT_ONCE = 20_000

/** The same as `readValues`, with all COMPUTED values. It lets other requests run meanwhile: formulas can take a second for a hundred entities. */
export async function computeValues(
  db: Db | Tx,
  objectName: string,
  fields: FieldSet,
  entities: readonly MetaEntity[],
): Promise<EntityValues[]> {
  const values = await readValues(db, objectName, fields, entities)
  let characters = 0
  for (const of of values)
    for (const field of fields.inOrder()) {
      of.get(field)
      characters += String(field.config['formula']).length
      if (characters < FORMULAS_AT_ONCE) continue
      characters = 0
      await pauseIn(db)
    }
  return values
}

/** The values of entities in fields. COMPUTED ones are computed when they are asked for. The caller has checked that the viewer sees both. */
export async function readValues(
  db: Db | Tx,
  objectName: string,
  fields: FieldSet,
  entities: readonly MetaEntity[],
): Promise<EntityValues[]> {
  const storing = fields.fields.filter(({ type, entityColumn }) => type !== 'COMPUTED' && entityColumn === null)
  const owners = [...new Set(entities.map(({ owner }) => owner))]
  const rows = await findValues(
    db,
    { objectName, owners, entityIds: entities.map(({ id }) => id) },
    storing.map(({ id }) => id),
  )
  const stored = new StoredValues(rows)
  return entities.map((entity) => new EntityValues(fields, entity, stored))
}

export const refSource = (ctx: AppContext, target: RefTarget): RefSource | undefined =>
  contributions(ctx, 'refTargets').find((sources) => sources[target] !== undefined)?.[target]

/** Whether the user may see values of the owner's things: their own, or those of an organization in which they hold the point. */
export const seesValues = async (ctx: AppContext, { userId, orgId }: Owner): Promise<boolean> =>
  orgId === 0 || can(ctx, userId, 'ORG', orgId, 'meta_value:read')

/** `everyone`: an administrator, who sees the titles of everything. */
export type Viewer = Owner & { readonly everyone?: true }

/** Whether the viewer sees targets of this kind that belong to the owner. */
export const seesTargets = async (
  ctx: AppContext,
  viewer: Viewer,
  owner: OwnerKey,
  { readPoint }: RefSource,
): Promise<boolean> =>
  viewer.everyone === true ||
  (owner < 0 ? owner === -viewer.userId : can(ctx, viewer.userId, 'ORG', orgOf(owner), readPoint))

interface Found {
  readonly values: EntityValues
  readonly field: FieldRow
}

export const targetOf = ({ config }: FieldRow): RefTarget => config['target'] as RefTarget

/** The values as clients see them: references with titles, and files. */
export async function shownValues(
  ctx: AppContext,
  db: Db | Tx,
  viewer: Viewer,
  found: readonly Found[],
): Promise<unknown[]> {
  const raw = found.map(({ values, field }) => values.get(field))
  const files = await filesOf(db, found, raw)
  const titles = await titlesOf(ctx, db, viewer, found, raw)
  return found.map(({ values, field }, i) => {
    const value = raw[i]
    if (value === null) return null
    if (isFileField(field)) return (value as number[]).flatMap((id) => fileView(ctx, files.get(id)))
    if (field.type !== 'REF') return value
    const id = value as number
    return { id, title: titles.get(values.entity.owner)?.get(targetOf(field))?.get(id) ?? null }
  })
}

const fileView = (ctx: AppContext, file: FileRow | undefined) =>
  file === undefined
    ? []
    : [{ fileId: file.id, name: file.name, mime: file.mime, size: file.size, ...urlsOf(ctx, file) }]

async function filesOf(
  db: Db | Tx,
  found: readonly Found[],
  raw: readonly unknown[],
): Promise<ReadonlyMap<number, FileRow>> {
  const ids = found.flatMap(({ field }, i) => (isFileField(field) && raw[i] !== null ? (raw[i] as number[]) : []))
  return new Map((await findFiles(db, ids)).map((file) => [file.id, file]))
}

type ByTarget<T> = Map<OwnerKey, Map<RefTarget, T>>

async function titlesOf(
  ctx: AppContext,
  db: Db | Tx,
  viewer: Viewer,
  found: readonly Found[],
  raw: readonly unknown[],
): Promise<ByTarget<ReadonlyMap<number, string>>> {
  const wanted: ByTarget<Set<number>> = new Map()
  for (const [i, { values, field }] of found.entries()) {
    if (field.type !== 'REF' || raw[i] === null) continue
    const { owner } = values.entity
    const byTarget = wanted.get(owner) ?? new Map<RefTarget, Set<number>>()
    wanted.set(owner, byTarget)
    byTarget.set(targetOf(field), (byTarget.get(targetOf(field)) ?? new Set()).add(raw[i] as number))
  }
  const titles: ByTarget<ReadonlyMap<number, string>> = new Map()
  for (const [owner, byTarget] of wanted) {
    titles.set(owner, new Map())
    for (const [target, ids] of byTarget) {
      const source = refSource(ctx, target)
      if (source !== undefined && (await seesTargets(ctx, viewer, owner, source)))
        titles.get(owner)!.set(target, await titlesIn(db, source, owner, [...ids]))
    }
  }
  return titles
}

const IDS_PER_QUERY = 5000

/** Titles of those of the targets that exist and belong to the owner. */
export async function titlesIn(
  db: Db | Tx,
  source: RefSource,
  owner: OwnerKey,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const titles = new Map<number, string>()
  for (let i = 0; i < ids.length; i += IDS_PER_QUERY)
    for (const [id, title] of await source.titles(db, owner, ids.slice(i, i + IDS_PER_QUERY))) titles.set(id, title)
  return titles
}

/** The fixed columns that hold a value of at least one entity. */
function filledColumns(entities: readonly MetaEntity[]): string[] {
  const filled = new Set<string>()
  for (const { columns } of entities)
    for (const [name, value] of Object.entries(columns)) if (value !== null && value !== '') filled.add(name)
  return [...filled]
}

/** Those of the fields that the viewer sees that can have values for these entities. */
export const fieldsFor = (
  db: Db | Tx,
  viewer: Viewer,
  objectName: string,
  entities: readonly MetaEntity[],
): Promise<FieldRow[]> => readableFields(db, objectName, viewer, filledColumns(entities))

/** The values of all fields that the viewer sees, for answers about entities. Fields without a value are left out. */
export async function valuesOf(
  ctx: AppContext,
  db: Db | Tx,
  viewer: Viewer,
  objectName: string,
  entities: readonly MetaEntity[],
  locale: Locale = 'en',
): Promise<Map<number, AssetValue[]>> {
  const fields = entities.length === 0 ? [] : await fieldsFor(db, viewer, objectName, entities)
  return valuesIn(ctx, db, viewer, objectName, { fields, entities, locale })
}

interface Asked {
  /** By `fieldsFor`. */
  readonly fields: readonly FieldRow[]
  readonly entities: readonly MetaEntity[]
  readonly locale?: Locale
}

/** The same for fields that have been read. */
export async function valuesIn(
  ctx: AppContext,
  db: Db | Tx,
  viewer: Viewer,
  objectName: string,
  { fields: readable, entities, locale = 'en' }: Asked,
): Promise<Map<number, AssetValue[]>> {
  const shown = new Map<number, AssetValue[]>(entities.map(({ id }) => [id, []]))
  if (readable.length === 0) return shown
  const fields = await fieldSet(db, readable)
  const found = (await computeValues(db, objectName, fields, entities)).flatMap((values) =>
    fields.fields.filter((field) => values.get(field) !== null).map((field) => ({ values, field })),
  )
  const values = await shownValues(ctx, db, viewer, found)
  for (const [i, { values: of, field }] of found.entries())
    shown.get(of.entity.id)!.push({
      fieldId: field.id,
      key: field.key,
      name: shownFieldName(field, locale),
      type: field.type,
      value: values[i],
    })
  return shown
}
