/** The maps of a request, which say what texts of its file mean. */

import type { AppContext } from '#context'
import { ownerKey } from '#db/owner-key.ts'
import type { Owner } from '#http/endpoint.ts'
import { invalid } from '#http/validate.ts'

import { categoryPaths } from '../categories/categories.service.ts'
import { membersAmong } from '../register/register.store.ts'
import { locationPaths } from '../sheets.store.ts'
import type { WordMaps } from './cells.service.ts'
import type { ImportAssets } from './importing.model.ts'
import { parseMap, readId, readStatus, type WordMap } from './values.rules.ts'

type MapName = 'statusMap' | 'custodianMap' | 'categoryMap' | 'locationMap'

/** @throws AppError 400 for other texts, and for ids that the owner does not have */
export async function readMaps(ctx: AppContext, owner: Owner, input: ImportAssets): Promise<WordMaps> {
  const db = ctx.db.read
  const [category, location, custodian] = (['categoryMap', 'locationMap', 'custodianMap'] as const).map((name) =>
    mapIn(input, name, readId),
  )
  await checkIds(category!, 'categoryMap', async () => new Set((await categoryPaths(ctx, db, owner)).keys()))
  await checkIds(location!, 'locationMap', async () => new Set((await locationPaths(db, ownerKey(owner))).keys()))
  await checkIds(custodian!, 'custodianMap', async (ids) =>
    owner.orgId === 0 ? new Set([owner.userId]) : membersAmong(db, owner.orgId, ids),
  )
  return {
    status: mapIn(input, 'statusMap', readStatus),
    category: category!,
    location: location!,
    custodian: custodian!,
  }
}

function mapIn<T>(input: ImportAssets, name: MapName, read: (value: unknown) => T | undefined): WordMap<T> {
  const given = input[name]
  if (given === undefined) return new Map()
  const map = parseMap(given, read)
  if ('en' in map) throw invalid(`body.${name}`, map.en, map.zh)
  return map
}

async function checkIds(
  map: WordMap<number>,
  name: MapName,
  knownAmong: (ids: readonly number[]) => Promise<ReadonlySet<number>>,
): Promise<void> {
  const ids = [...new Set(map.values())].filter((id) => id !== null)
  if (ids.length === 0) return
  const known = await knownAmong(ids)
  const unknown = ids.find((id) => !known.has(id))
  if (unknown !== undefined) throw invalid(`body.${name}`, `has the unknown id ${unknown}`, `包含未知的 id ${unknown}`)
}
