/** Profiles of labels, and where the things are that get one. */

import { and, asc, count, eq, inArray, type SQL, sql } from 'drizzle-orm'

import { orgOf, type OwnerKey } from '#db/owner-key.ts'
import { type Page, type PageInput, pageOf } from '#db/paging.ts'
import { versionIn } from '#db/row-version.ts'
import { assets } from '#db/schema/assets.ts'
import { labelProfiles } from '#db/schema/label-profiles.ts'
import { organizations } from '#db/schema/orgs.ts'
import type { Db, Tx } from '#db/store.ts'

export type ProfileRow = typeof labelProfiles.$inferSelect
type ProfileValues = Pick<ProfileRow, 'name' | 'settings'>

export const versionOfProfile = versionIn(labelProfiles)

const one = (owner: OwnerKey, id: number) => and(eq(labelProfiles.owner, owner), eq(labelProfiles.id, id))

/** Undefined if it belongs to another owner. */
export async function findProfile(db: Db | Tx, owner: OwnerKey, id: number): Promise<ProfileRow | undefined> {
  const [row] = await db.select().from(labelProfiles).where(one(owner, id))
  return row
}

/** The organization of a profile: 0 for a personal one, undefined for an unknown id. */
export async function organizationOfProfile(db: Db, id: number): Promise<number | undefined> {
  const [row] = await db.select({ owner: labelProfiles.owner }).from(labelProfiles).where(eq(labelProfiles.id, id))
  return row && orgOf(row.owner)
}

/** In the order of their names. An owner has at most 50. */
export const profilesPage = (db: Db, owner: OwnerKey, page: PageInput): Promise<Page<ProfileRow>> =>
  pageOf(db, labelProfiles, {
    where: eq(labelProfiles.owner, owner),
    orderBy: [asc(labelProfiles.name), asc(labelProfiles.id)],
    page,
  })

export async function countProfiles(tx: Tx, owner: OwnerKey): Promise<number> {
  const [row] = await tx.select({ n: count() }).from(labelProfiles).where(eq(labelProfiles.owner, owner))
  return row!.n
}

export async function insertProfile(tx: Tx, owner: OwnerKey, values: ProfileValues): Promise<ProfileRow> {
  const [row] = await tx
    .insert(labelProfiles)
    .values({ ...values, owner, createdAt: tx.stamp, updatedAt: tx.stamp })
    .returning()
  return row!
}

/** `row` must have been read in this write. Without a value that differs nothing is written, and the version stays. */
export async function updateProfile(tx: Tx, row: ProfileRow, values: ProfileValues): Promise<ProfileRow> {
  if (values.name === row.name && Bun.deepEquals(values.settings, row.settings)) return row
  const [after] = await tx
    .update(labelProfiles)
    .set({ ...values, version: sql`${labelProfiles.version} + 1`, updatedAt: tx.stamp })
    .where(one(row.owner, row.id))
    .returning()
  return after!
}

/** Returns whether there was one. */
export async function deleteProfile(tx: Tx, owner: OwnerKey, id: number): Promise<boolean> {
  const rows = await tx.delete(labelProfiles).where(one(owner, id)).returning({ id: labelProfiles.id })
  return rows.length > 0
}

/** At most 50. */
export async function deleteProfilesOf(tx: Tx, owner: OwnerKey): Promise<void> {
  await tx.delete(labelProfiles).where(eq(labelProfiles.owner, owner))
}

export const isOneOf = (ids: readonly number[]): SQL => inArray(assets.id, [...ids])

/** The name of an organization. */
export async function nameOfOrg(db: Db, orgId: number): Promise<string> {
  const [row] = await db.select({ name: organizations.name }).from(organizations).where(eq(organizations.id, orgId))
  return row?.name ?? ''
}
