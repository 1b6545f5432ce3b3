/**
 * Searches for entities by a value. Stored values are found by their indexes. Values that are computed, absent, in fixed columns or
 * without order are read of all entities of the owner, in slices.
 */

import type { AppContext } from '#context'
import { orgOf, type OwnerKey, ownerKey } from '#db/owner-key.ts'
import { MAX_ROWS_IN_TURN, offsetOf, type Page, type PageInput, readerFor } from '#db/paging.ts'
import type { Db } from '#db/store.ts'
import { can } from '#domains/access/index.ts'
import type { MetaObject } from '#domains/contributions.ts'
import type { Owner } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import { sortInSteps } from '#lib/sort-in-steps.ts'

import { visibleFields } from '../fields/fields.store.ts'
import { metaObject } from '../objects/objects.service.ts'
import { isEnabled } from '../objects/objects.store.ts'
import { type Condition, orderOf } from '../types/types.rules.ts'
import { compareKeys, filterIn, meets, sortKey } from './filters.rules.ts'
import type { FieldSet } from './reading.rules.ts'
import { computeValues, fieldSet, shownValues } from './reading.service.ts'
import * as store from './search.store.ts'
import { unknownField } from './values.errors.ts'
import type { FieldRow, FoundValue, SearchQuery } from './values.model.ts'

/** Entities of the owner whose value of a field meets the query, by value. @throws AppError 400 or 404 */
export async function searchValues(
  ctx: AppContext,
  owner: Owner,
  objectName: string,
  query: SearchQuery,
): Promise<Page<FoundValue>> {
  const db = ctx.db.read
  if (!(await isEnabled(db, objectName))) throw notFound()
  const fields = await fieldSet(db, await visibleFields(db, objectName, owner))
  const field = fields.byId.get(query.fieldId)
  if (field === undefined) throw invalidAll([{ path: 'query.fieldId', text: unknownField }])
  const condition = conditionOf(fields, query)
  const object = metaObject(ctx, objectName)
  const page = { page: query.page, size: query.size }
  const isReversed = query.sort === '-value'
  const key = ownerKey(owner)
  if (object === undefined || !(await mayRead(ctx, owner.userId, key, object))) return { items: [], total: 0, ...page }
  const needs = fields.neededBy(field)
  const found = isIndexed(field, condition)
    ? await indexed(ctx, owner, { field, owner: key, object, condition, isReversed }, page)
    : await ctx.db.search(owner.userId, (reader) =>
        scan(reader, objectName, needs, { field, owner: key, object, condition, isReversed }, page),
      )
  const ids = found.items.map(({ entityId }) => entityId)
  return { ...found, items: await views(ctx, owner, objectName, object, needs, field, ids) }
}

/** Whether the user sees the entities of the owner. */
export const mayRead = async (ctx: AppContext, userId: number, owner: OwnerKey, { readPoint }: MetaObject) =>
  owner < 0 ? owner === -userId : can(ctx, userId, 'ORG', orgOf(owner), readPoint)

function conditionOf(fields: FieldSet, { fieldId, value, min, max }: SearchQuery): Condition | undefined {
  if (!value && !min && !max) return undefined
  const given = { equal: value, min, max }
  const filter = filterIn(fields, { fieldId, given }, (name) => `query.${name === 'equal' ? 'value' : name}`)
  if ('path' in filter) throw invalidAll([filter])
  return filter.condition
}

const isIndexed = (field: FieldRow, condition: Condition | undefined): boolean =>
  field.entityColumn === null && orderOf(field.type) !== undefined && condition?.kind !== 'filled'

async function indexed(
  ctx: AppContext,
  { userId }: Owner,
  search: store.StoredSearch,
  page: PageInput,
): Promise<Page<{ readonly entityId: number }>> {
  if (search.condition?.kind === 'contains') return ctx.db.search(userId, (db) => store.searchTexts(db, search, page))
  const rows = await store.countUpTo(ctx.db.read, search, MAX_ROWS_IN_TURN + 1)
  const db = readerFor(ctx.db, rows)
  return isMany(search.field) ? store.optionsPage(db, search, page) : store.valuesPage(db, search, page)
}

const isMany = ({ type }: FieldRow): boolean => type === 'MULTI_SELECT' || type === 'CHECKBOX'

/** Reads all entities of the owner. `db` is that of a search. */
async function scan(
  db: Db,
  objectName: string,
  needs: FieldSet,
  { field, owner, object, condition, isReversed }: store.StoredSearch,
  page: PageInput,
): Promise<Page<{ readonly entityId: number }>> {
  const found: { entityId: number; key: string | number | null }[] = []
  let after: readonly unknown[] | undefined
  do {
    const slice = await store.entitiesAfter(db, object.entities, owner, after)
    const entities = await object.findEntities(
      db,
      slice.map(({ id }) => id),
    )
    for (const values of await computeValues(db, objectName, needs, entities)) {
      const value = values.get(field)
      const isFound = condition === undefined ? value !== null : meets(condition, value)
      if (isFound) found.push({ entityId: values.entity.id, key: sortKey(value) })
    }
    after = slice.at(-1)?.key
  } while (after !== undefined)
  const direction = isReversed ? -1 : 1
  const sorted = await sortInSteps(found, (a, b) => direction * (compareKeys(a.key, b.key) || a.entityId - b.entityId))
  return { items: sorted.slice(offsetOf(page), offsetOf(page) + page.size), total: found.length, ...page }
}

async function views(
  ctx: AppContext,
  owner: Owner,
  objectName: string,
  object: MetaObject,
  needs: FieldSet,
  field: FieldRow,
  ids: readonly number[],
): Promise<FoundValue[]> {
  const db = ctx.db.read
  const entities = ids.length === 0 ? [] : await object.findEntities(db, ids)
  const read = new Map(
    (await computeValues(db, objectName, needs, entities)).map((values) => [values.entity.id, values]),
  )
  // An entity that was deleted meanwhile is left out.
  const found = ids.flatMap((id) => {
    const values = read.get(id)
    return values === undefined ? [] : [{ values, field }]
  })
  const values = await shownValues(ctx, db, owner, found)
  return found.map(({ values: { entity } }, i) => ({ entityId: entity.id, title: entity.title, value: values[i] }))
}
