/** Whether the content of a deleted user is being erased (domains/own-data): from the deletion on, nobody finds it. */

import { type SQL, sql, type SQLWrapper } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { contentErasures } from './schema/exports.ts'

/** `userId`: whose row it is; NULL for the rows of organizations. A look into the primary key of a table that is nearly always empty. */
export const isNotErased = (userId: SQLWrapper): SQL =>
  sql`not exists (select 1 from ${contentErasures} where ${contentErasures.userId} = ${userId})`

/** The same of a row with an owner (owner-key.ts): of organizations, the number is that of no user. */
export const isNotErasedOwner = (owner: SQLiteColumn): SQL => isNotErased(sql`-${owner}`)

/** The same of a row that is personal if its `orgId` is 0. */
export const isNotErasedPersonal = (userId: SQLiteColumn, orgId: SQLiteColumn): SQL =>
  isNotErased(sql`case when ${orgId} = 0 then ${userId} end`)
