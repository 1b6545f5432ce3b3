import type { AppContext } from '#context'
import { type OwnerKey, ownerKey } from '#db/owner-key.ts'
import type { Db } from '#db/store.ts'
import type { MetaObjectName } from '#domains/contributions.ts'
import type { Owner } from '#http/endpoint.ts'
import { invalidAll } from '#http/validate.ts'

import { visibleFields } from '../fields/fields.store.ts'
import { metaObject } from '../objects/objects.service.ts'
import { isEnabled } from '../objects/objects.store.ts'
import { computedFilters, type FieldFilter, filterIn, filtersIn, meets } from './filters.rules.ts'
import { computeValues, fieldSet, seesValues } from './reading.service.ts'

/** Reads the filters by field of a list. Other parameters of the query are ignored. @throws AppError 400 */
export async function fieldFilters(
  ctx: AppContext,
  owner: Owner,
  objectName: string,
  query: Readonly<Record<string, string>>,
): Promise<readonly FieldFilter[]> {
  const named = filtersIn(query)
  if (!Array.isArray(named)) throw invalidAll([named])
  if (named.length === 0) return []
  // Filters would tell the values to those who may not see them.
  const isVisible = (await isEnabled(ctx.db.read, objectName)) && (await seesValues(ctx, owner))
  const visible = isVisible ? await visibleFields(ctx.db.read, objectName, owner) : []
  const fields = await fieldSet(ctx.db.read, visible)
  return named.map((filter) => {
    const { fieldId } = filter
    const found = filterIn(fields, filter, (name) => `query.field.${fieldId}${name === 'equal' ? '' : `.${name}`}`)
    if ('path' in found) throw invalidAll([found])
    return found
  })
}

/**
 * The filters by COMPUTED fields, which are evaluated for the rows of one slice of a search: those of `ids` that meet all of them.
 * Undefined if there is no such filter.
 */
export function computedMatch(
  ctx: AppContext,
  db: Db,
  owner: Owner,
  objectName: MetaObjectName,
  filters: readonly FieldFilter[],
  ids: readonly number[],
): Promise<Set<number>> | undefined {
  const computed = computedFilters(filters)
  return computed.length === 0 ? undefined : matching(ctx, db, ownerKey(owner), objectName, computed, ids)
}

async function matching(
  ctx: AppContext,
  db: Db,
  owner: OwnerKey,
  objectName: MetaObjectName,
  filters: readonly FieldFilter[],
  ids: readonly number[],
): Promise<Set<number>> {
  const found = (await metaObject(ctx, objectName)?.findEntities(db, ids)) ?? []
  let entities = found.filter((entity) => entity.owner === owner)
  for (const { field, condition, needs } of filters) {
    const values = await computeValues(db, objectName, needs, entities)
    entities = values.filter((of) => meets(condition, of.get(field))).map(({ entity }) => entity)
  }
  return new Set(entities.map(({ id }) => id))
}
