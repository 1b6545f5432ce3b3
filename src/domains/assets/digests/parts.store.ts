/** Queries of the parts of digests. Each has a limit, and reads by an index of the owner or the user. */

import {
  and,
  asc,
  count,
  desc,
  eq,
  exists,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  ne,
  not,
  or,
  sql,
} from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'

import type { OwnerKey } from '#db/owner-key.ts'
import { users } from '#db/schema/accounts.ts'
import { assetMaintenanceDues as dues, assetMaintenancePlans as plans } from '#db/schema/asset-maintenance.ts'
import { assetCategories, assetLoans as loans, assets } from '#db/schema/assets.ts'
import { organizations, orgMembers } from '#db/schema/orgs.ts'
import type { Builders, Db, SQL, SQLiteColumn } from '#db/store.ts'

import { COUNTED, type DigestOwner, type DigestPerson } from './digests.model.ts'

const LIMIT = COUNTED + 1

/** Whether the user in a column is an active member of the organization in another one. */
const isReady = (db: Pick<Builders, 'select'>, userId: SQLiteColumn, owner: SQLiteColumn): SQL => {
  const person = alias(users, 'ready')
  return exists(
    db
      .select({ one: sql`1` })
      .from(orgMembers)
      .innerJoin(person, eq(person.id, orgMembers.userId))
      .where(and(eq(orgMembers.orgId, owner), eq(orgMembers.userId, userId), eq(person.status, 'ACTIVE'))),
  )
}
const isNobody = (db: Pick<Builders, 'select'>, userId: SQLiteColumn, owner: SQLiteColumn): SQL =>
  or(isNull(userId), not(isReady(db, userId, owner)))!

const keysOf = (owners: readonly DigestOwner[]): OwnerKey[] => owners.map(({ owner }) => owner)

/** A condition on the rows of these owners that depends on their day. Most users have one day for all. */
const byDay = (column: SQLiteColumn, owners: readonly DigestOwner[], of: (today: string) => SQL | undefined): SQL =>
  or(
    ...[...Map.groupBy(owners, ({ today }) => today)].map(([today, some]) =>
      and(inArray(column, keysOf(some)), of(today)),
    ),
  )!

const distinct = async (query: Promise<{ id: number | null }[]>): Promise<number[]> =>
  (await query).flatMap(({ id }) => id ?? [])

const isOpen = and(isNull(loans.checkedInAt), isNotNull(loans.dueAt))

export interface LoanThing {
  readonly name: string
  readonly assetNo: string
  readonly dueAt: number
  /** The borrower; null if it is the user. */
  readonly borrower: string | null
}

/** Open loans that are due at `from` or later and before `to`: those of the user, and those that the user made, or nobody who is still there. */
export async function dueLoans(
  db: Db,
  { userId, owners }: DigestPerson,
  range: (owner: DigestOwner) => { readonly from: number; readonly to: number },
): Promise<LoanThing[]> {
  const inRange = (some: readonly DigestOwner[]): SQL =>
    or(
      ...some.map((owner) => {
        const { from, to } = range(owner)
        return and(eq(loans.owner, owner.owner), gte(loans.dueAt, from), lt(loans.dueAt, to))
      }),
    )!
  const select = (where: SQL | undefined) =>
    db
      .select({
        name: assets.name,
        assetNo: assets.assetNo,
        dueAt: loans.dueAt,
        userId: loans.userId,
        personName: loans.personName,
        nickname: users.nickname,
      })
      .from(loans)
      .innerJoin(assets, eq(assets.id, loans.assetId))
      .leftJoin(users, eq(users.id, loans.userId))
      .where(where)
      .orderBy(asc(loans.dueAt), asc(loans.id))
      .limit(LIMIT)
  const own = await select(and(eq(loans.userId, userId), isOpen, inRange(owners)))
  const lent = await select(
    and(
      inArray(loans.owner, keysOf(owners)),
      isOpen,
      or(isNull(loans.userId), ne(loans.userId, userId)),
      or(eq(loans.operatorId, userId), abandoned(db, owners)),
      inRange(owners),
    ),
  )
  return [...own, ...lent]
    .toSorted((a, b) => a.dueAt! - b.dueAt!)
    .map(({ name, assetNo, dueAt, userId: of, personName, nickname }) => ({
      name,
      assetNo,
      dueAt: dueAt!,
      borrower: of === userId ? null : (personName ?? nickname ?? ''),
    }))
}

/** Loans of organizations that the user owns, if the operator is not there any longer. */
function abandoned(db: Db, owners: readonly DigestOwner[]): SQL | undefined {
  const owned = owners.filter(({ isOrgOwner }) => isOrgOwner)
  if (owned.length === 0) return undefined
  return and(inArray(loans.owner, keysOf(owned)), not(isReady(db, loans.operatorId, loans.owner)))
}

/** Of loans that are due before `to`: borrowers, users who made them, and owners of organizations if those are not there any longer. */
export async function peopleOfLoans(db: Db, to: number): Promise<number[]> {
  const where = and(isOpen, lt(loans.dueAt, to))
  const borrowers = distinct(db.selectDistinct({ id: loans.userId }).from(loans).where(where))
  const operators = distinct(db.selectDistinct({ id: loans.operatorId }).from(loans).where(where))
  const orgOwners = distinct(
    db
      .selectDistinct({ id: organizations.ownerId })
      .from(loans)
      .innerJoin(organizations, eq(organizations.id, loans.owner))
      .where(and(where, not(isReady(db, loans.operatorId, loans.owner)))),
  )
  return [...(await borrowers), ...(await operators), ...(await orgOwners)]
}

export interface DayThing {
  readonly owner: OwnerKey
  readonly name: string
  readonly assetNo: string
  /** `YYYY-MM-DD` */
  readonly day: string
}
export interface DueThing extends DayThing {
  readonly plan: string
}

/** Dates of maintenance that are near or overdue: of the user's plans, or else the user's assets, or else those without assignee and custodian. */
export async function dueMaintenance(db: Db, { userId, owners }: DigestPerson): Promise<DueThing[]> {
  const select = (where: SQL | undefined) =>
    db
      .select({
        owner: dues.owner,
        name: assets.name,
        assetNo: assets.assetNo,
        day: dues.dueOn,
        plan: plans.name,
      })
      .from(dues)
      .innerJoin(plans, eq(plans.id, dues.planId))
      .innerJoin(assets, eq(assets.id, dues.assetId))
      .where(where)
      .orderBy(asc(dues.dueOn), asc(dues.assetId))
      .limit(LIMIT)
  const near = (some: readonly DigestOwner[]) => byDay(dues.owner, some, (today) => lte(dues.soonOn, today))
  const withoutAssignee = isNobody(db, plans.assigneeId, dues.owner)
  const orgs = owners.filter(({ owner }) => owner > 0)
  const own = owners.filter(({ owner }) => owner < 0)
  const kept = orgs.filter(({ isKeeper }) => isKeeper)
  const inCustody = and(
    inArray(assets.owner, keysOf(orgs)),
    isNull(assets.deletedAt),
    eq(assets.custodianId, userId),
    isNotNull(assets.nextMaintenance),
  )
  const found = [await select(near(own))]
  if (orgs.length > 0)
    found.push(
      await select(and(eq(plans.assigneeId, userId), near(orgs))),
      await select(and(inCustody, withoutAssignee, near(orgs))),
    )
  if (kept.length > 0)
    found.push(await select(and(near(kept), withoutAssignee, isNobody(db, assets.custodianId, dues.owner))))
  return found.flat().toSorted((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0))
}

export async function peopleOfMaintenance(db: Db, day: string) {
  const near = lte(dues.soonOn, day)
  const assignees = distinct(
    db
      .selectDistinct({ id: plans.assigneeId })
      .from(plans)
      .where(
        and(
          isNotNull(plans.assigneeId),
          exists(
            db
              .select({ one: sql`1` })
              .from(dues)
              .where(and(eq(dues.planId, plans.id), near)),
          ),
        ),
      ),
  )
  const custodians = distinct(
    db
      .selectDistinct({ id: assets.custodianId })
      .from(dues)
      .innerJoin(assets, eq(assets.id, dues.assetId))
      .where(and(near, isNotNull(assets.custodianId))),
  )
  const owners = db.selectDistinct({ id: dues.owner }).from(dues).where(near)
  return { userIds: [...(await assignees), ...(await custodians)], owners: (await owners).map(({ id }) => id) }
}

const ending = (from: string, to: string): SQL =>
  and(
    isNull(assets.deletedAt),
    isNotNull(assets.warrantyExpiry),
    gte(assets.warrantyExpiry, from),
    lte(assets.warrantyExpiry, to),
    ne(assets.status, 'SCRAPPED'),
  )!

/** Warranties that end: of the user's assets, or else those that the user has registered, or else of organizations that the user owns. */
export async function endingWarranties(
  db: Db,
  { userId, owners }: DigestPerson,
  until: (today: string) => string,
): Promise<DayThing[]> {
  const owned = owners.filter(({ isOrgOwner }) => isOrgOwner)
  const without = isNobody(db, assets.custodianId, assets.owner)
  const rows = await db
    .select({ owner: assets.owner, name: assets.name, assetNo: assets.assetNo, day: assets.warrantyExpiry })
    .from(assets)
    .where(
      and(
        byDay(assets.owner, owners, (today) => ending(today, until(today))),
        or(
          eq(assets.custodianId, userId),
          and(without, eq(assets.userId, userId)),
          eq(assets.owner, -userId),
          owned.length === 0
            ? undefined
            : and(without, inArray(assets.owner, keysOf(owned)), not(isReady(db, assets.userId, assets.owner))),
        ),
      ),
    )
    .orderBy(asc(assets.warrantyExpiry), asc(assets.id))
    .limit(LIMIT)
  return rows.map((row) => ({ ...row, day: row.day! }))
}

export async function peopleOfWarranties(db: Db, from: string, to: string): Promise<number[]> {
  const where = ending(from, to)
  const without = isNobody(db, assets.custodianId, assets.owner)
  const custodians = distinct(
    db
      .selectDistinct({ id: assets.custodianId })
      .from(assets)
      .where(and(where, isNotNull(assets.custodianId))),
  )
  const registrars = distinct(db.selectDistinct({ id: assets.userId }).from(assets).where(and(where, without)))
  const orgOwners = distinct(
    db
      .selectDistinct({ id: organizations.ownerId })
      .from(assets)
      .innerJoin(organizations, eq(organizations.id, assets.owner))
      .where(and(where, without, not(isReady(db, assets.userId, assets.owner)))),
  )
  return [...(await custodians), ...(await registrars), ...(await orgOwners)]
}

const toCount = (until: string): SQL =>
  and(
    isNull(assets.deletedAt),
    isNotNull(assets.nextCountOn),
    lte(assets.nextCountOn, until),
    ne(assets.status, 'SCRAPPED'),
  )!

export interface CountThing {
  /** Of the category; null without one. */
  readonly name: string | null
  readonly n: number
  /** The earliest date. */
  readonly day: string
}

/** Assets to be counted, by category, of those whose keeper the user is. The most first. */
export async function dueCounts(
  db: Db,
  { owners }: DigestPerson,
  until: (today: string) => string,
): Promise<CountThing[]> {
  const kept = owners.filter(({ isKeeper }) => isKeeper)
  if (kept.length === 0) return []
  const rows = await db
    .select({ name: assetCategories.name, n: count(), day: sql<string>`min(${assets.nextCountOn})` })
    .from(assets)
    .leftJoin(assetCategories, eq(assetCategories.id, assets.categoryId))
    .where(byDay(assets.owner, kept, (today) => toCount(until(today))))
    .groupBy(assets.owner, assets.categoryId, assetCategories.name)
    .orderBy(desc(count()), asc(assets.categoryId))
    .limit(LIMIT)
  return rows
}

export async function ownersOfCounts(db: Db, until: string): Promise<OwnerKey[]> {
  const rows = await db.selectDistinct({ id: assets.owner }).from(assets).where(toCount(until))
  return rows.map(({ id }) => id)
}
