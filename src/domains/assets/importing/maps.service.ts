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

export const MAP_NAMES = ['statusMap', 'custodianMap', 'categoryMap', 'locationMap'] as const
type MapName = (typeof MAP_NAMES)[number]
type IdMapName = Exclude<MapName, 'statusMap'>
type Maps = Pick<ImportAssets, MapName>

/** `at`: the object with the maps, for errors. @throws AppError 400 for other texts, and for ids that the owner does not have */
export async function readMaps(ctx: AppContext, owner: Owner, input: Maps, at = 'body'): Promise<WordMaps> {
  const ids = async (name: IdMapName): Promise<WordMap<number>> => {
    const map = mapIn(input, name, readId, at)
    const known = await knownIds(ctx, owner, name, map)
    const unknown = [...map.values()].find((id) => id !== null && !known.has(id))
    if (unknown !== undefined)
      throw invalid(`${at}.${name}`, `has the unknown id ${unknown}`, `包含未知的 id ${unknown}`)
    return map
  }
  return {
    status: mapIn(input, 'statusMap', readStatus, at),
    category: await ids('categoryMap'),
    location: await ids('locationMap'),
    custodian: await ids('custodianMap'),
  }
}

/** The text of a saved map without the ids that the owner no longer has. */
export async function presentMap(ctx: AppContext, owner: Owner, name: MapName, text: string): Promise<string> {
  if (name === 'statusMap') return text
  const known = await knownIds(ctx, owner, name, mapIn({ [name]: text }, name, readId, 'body'))
  const entries = Object.entries(JSON.parse(text) as Record<string, unknown>)
  return JSON.stringify(Object.fromEntries(entries.filter(([, id]) => id === null || known.has(Number(id)))))
}

function mapIn<T>(input: Maps, name: MapName, read: (value: unknown) => T | undefined, at: string): WordMap<T> {
  const given = input[name]
  if (given === undefined) return new Map()
  const map = parseMap(given, read)
  if ('en' in map) throw invalid(`${at}.${name}`, map.en, map.zh)
  return map
}

/** Of the ids in a map, those that the owner has. */
async function knownIds(
  ctx: AppContext,
  owner: Owner,
  name: IdMapName,
  map: WordMap<number>,
): Promise<ReadonlySet<number>> {
  const ids = [...new Set(map.values())].filter((id) => id !== null)
  const db = ctx.db.read
  if (ids.length === 0) return new Set()
  if (name === 'categoryMap') return new Set((await categoryPaths(ctx, db, owner)).keys())
  if (name === 'locationMap') return new Set((await locationPaths(db, ownerKey(owner))).keys())
  return owner.orgId === 0 ? new Set([owner.userId]) : membersAmong(db, owner.orgId, ids)
}
