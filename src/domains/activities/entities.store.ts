/**
 * Activities as things that have metadata, and as targets of its values. In organizations both are for those who manage activities:
 * titles and values are found without looking at the visibility of each activity.
 */

import { and, eq, inArray, sql } from 'drizzle-orm'

import { notByIndex } from '#db/dialect.ts'
import { prepared } from '#db/prepared.ts'
import { activities } from '#db/schema/activities.ts'
import type { Db, Tx } from '#db/store.ts'
import type { MetaObject, RefSource } from '#domains/contributions.ts'

import { isLive } from './activities.store.ts'

const p = sql.placeholder

const titled = { id: activities.id, owner: activities.owner, name: activities.name }

const byIds = (db: Db | Tx, ids: readonly number[]) =>
  db
    .select(titled)
    .from(activities)
    .where(and(inArray(activities.id, [...ids]), sql`${notByIndex(activities.deletedAt)} is null`))

export const activityObject: MetaObject = {
  readPoint: 'activity:update',
  async findEntities(db, ids) {
    const rows = await byIds(db, ids)
    return rows.map(({ id, owner, name }) => ({ id, owner, title: name, templateIds: [], columns: {} }))
  },
  isLive: (id) => sql`exists (select 1 from ${activities} where ${activities.id} = ${id} and ${isLive})`,
  entities: {
    table: activities,
    id: activities.id,
    order: [activities.createdAt, activities.id],
    where: (owner) => and(eq(activities.owner, owner), isLive),
  },
}

const byName = prepared((db) =>
  db
    .select({ id: activities.id })
    .from(activities)
    .where(and(eq(activities.owner, p('owner')), isLive, eq(activities.name, p('name'))))
    .limit(2),
)

/** In texts, activities are named by their names, if no other activity of the owner has the same. */
export const activityTarget: RefSource = {
  readPoint: 'activity:update',
  async titles(db, owner, ids) {
    const rows = await byIds(db, ids)
    return new Map(rows.filter((row) => row.owner === owner).map(({ id, name }) => [id, name]))
  },
  async byTexts(db, owner, texts) {
    const found = new Map<string, number>()
    for (const text of new Set(texts)) {
      const [only, another] = await byName(db, { owner, name: text.trim() })
      if (only !== undefined && another === undefined) found.set(text, only.id)
    }
    return found
  },
}
