/** Walks up and down the tree of locations, a step a level: the tree is never loaded whole for a decision. */

import type { Tx } from '#db/store.ts'

import { childIds, findLocation } from './store.ts'

/** 1 for a location on top; undefined when it is not the organization's. */
export async function levelOf(tx: Tx, orgId: number, id: number): Promise<number | undefined> {
  let level = 0
  let at: number | null = id
  while (at !== null) {
    const row: { parentId: number | null } | undefined = await findLocation(tx, orgId, at)
    if (row === undefined) return undefined
    at = row.parentId
    level++
  }
  return level
}

/** The branch that begins with `id`, level by level: `[[id], [children…], …]`. `id` must be the organization's. */
export async function levelsBelow(tx: Tx, orgId: number, id: number): Promise<number[][]> {
  const levels = [[id]]
  for (;;) {
    const next = await childIds(tx, orgId, levels.at(-1)!)
    if (next.length === 0) return levels
    levels.push(next)
  }
}
