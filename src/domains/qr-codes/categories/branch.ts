/** Walks up and down the tree of categories, a step a level: the tree is never loaded whole for a decision. */

import type { Db, Tx } from '#db/store.ts'

import { childIds, findCategory } from './store.ts'

/** 1 for a category on top; undefined when it is not the user's. */
export async function levelOf(db: Db | Tx, userId: number, id: number): Promise<number | undefined> {
  let level = 0
  let at: number | null = id
  while (at !== null) {
    const row: { parentId: number | null } | undefined = await findCategory(db, userId, at)
    if (row === undefined) return undefined
    at = row.parentId
    level++
  }
  return level
}

/** The branch that begins with `id`, level by level: `[[id], [children…], …]`. `id` must be the user's. */
export async function levelsBelow(db: Db | Tx, userId: number, id: number): Promise<number[][]> {
  const levels = [[id]]
  for (;;) {
    const next = await childIds(db, userId, levels.at(-1)!)
    if (next.length === 0) return levels
    levels.push(next)
  }
}

/** `id` and everything below it; empty when it is not the user's. */
export async function branchIds(db: Db | Tx, userId: number, id: number): Promise<number[]> {
  if ((await findCategory(db, userId, id)) === undefined) return []
  return (await levelsBelow(db, userId, id)).flat()
}
