/**
 * Caches the permissions of users and of roles. A user's entry refers to the point sets of their roles: the first check of a user
 * costs one query for role ids, and most users share one set of points.
 */

import { LRUCache } from 'lru-cache'

import { type AppContext, dropWhen, perContext } from '#context'
import type { PermissionDomain } from '#db/schema/access.ts'
import type { Tx } from '#db/store.ts'
import { contributions } from '#domains/domain.ts'
import { accessChanged } from '#http/permissions.ts'
import { type Load, ReadCache } from '#lib/read-cache.ts'
import { pointName } from '#permission-points'

import { accessOf, asksForFactor, isReading, NEVER_OFF, type Role, type UserAccess } from './access.rules.ts'
import { enabledPointsOfDomain, enabledPointsOfRole, findRole, roleIdsOf } from './access.store.ts'
import { holdsEverything } from './system-roles.ts'

/** Milliseconds until an entry is read again (spec §5.10). Writes of any process that serves invalidate it immediately. */
const CACHE_MS = 60_000
/** A user takes about 200 bytes, a role 300 and a set up to 5 KB: at most 7 MB together. */
const MAX_USERS = 20_000
const MAX_ROLES = 5_000
const MAX_SETS = 200

/** Must be called in every write that changes bindings of users. */
export const bindingsChanged = (tx: Tx, ...userIds: number[]): void => tx.publish(accessChanged, userIds)

/** Must be called in every write that changes a role, its points, or a permission point. This is rare, and any user may be affected. */
export const rolesChanged = (tx: Tx): void => tx.publish(accessChanged, 'all')

class AccessCache {
  readonly #roles: ReadCache<number, Role>
  readonly #users: ReadCache<number, UserAccess>
  readonly #sets = new LRUCache<string, ReadonlySet<string>>({ max: MAX_SETS })

  constructor(readonly ctx: AppContext) {
    const options = { maxAge: CACHE_MS, now: () => ctx.clock.now() }
    this.#roles = new ReadCache({ ...options, max: MAX_ROLES, load: (id) => this.#loadRole(id) })
    this.#users = new ReadCache({ ...options, max: MAX_USERS, load: (id, load) => this.#loadUser(id, load) })
    dropWhen(ctx, accessChanged, this)
  }

  /** Undefined if the user has to be loaded first. */
  peek(userId: number): UserAccess | undefined {
    return this.#users.get(userId)
  }

  async load(userId: number): Promise<UserAccess> {
    return (await this.#users.fetch(userId)) ?? accessOf([])
  }

  drop(userId: number): void {
    this.#users.drop(userId)
  }

  clear(): void {
    this.#roles.clear()
    this.#users.clear()
  }

  async #loadUser(userId: number, load: Load): Promise<UserAccess> {
    const ids = await roleIdsOf(this.ctx.db.read, userId)
    const roles = await Promise.all(ids.map((id) => this.#roles.get(id) ?? this.#roles.fetch(id)))
    // A user's entry is as old as the oldest role in it, so that no row is used for longer than CACHE_MS.
    load.readAt = Math.min(load.readAt, ...ids.map((id) => this.#roles.readAt(id) ?? load.readAt))
    const held = roles.filter((role) => role !== undefined)
    return accessOf(held, !asksForFactor(held) || (await this.#hasSecondFactor(userId)))
  }

  async #hasSecondFactor(userId: number): Promise<boolean> {
    for (const withSecondFactor of contributions(this.ctx, 'withSecondFactor'))
      if ((await withSecondFactor(this.ctx.db.read, [userId])).has(userId)) return true
    return false
  }

  async #loadRole(roleId: number): Promise<Role | undefined> {
    const role = await findRole(this.ctx.db.read, roleId)
    if (role === undefined) return undefined
    const points = await this.#pointsOf(role)
    return { ...role, points: role.orgStatus === 'DISABLED' ? this.#shared([...points].filter(isReading)) : points }
  }

  async #pointsOf(role: { id: number; domain: PermissionDomain; code: string }): Promise<ReadonlySet<string>> {
    const { read } = this.ctx.db
    if (!holdsEverything(role.domain, role.code))
      return this.#shared((await enabledPointsOfRole(read, role.id)).map(pointName))
    const all = (await enabledPointsOfDomain(read, role.domain)).map(pointName)
    return this.#shared(role.domain === 'PLATFORM' ? [...all, ...NEVER_OFF] : all)
  }

  /** Returns one Set object for equal points: most roles of organizations are copies of the same templates. */
  #shared(points: readonly string[]): ReadonlySet<string> {
    const key = points.toSorted().join(' ')
    const known = this.#sets.get(key)
    if (known !== undefined) return known
    const set = new Set(points)
    this.#sets.set(key, set)
    return set
  }
}

export const accessCache = perContext((ctx) => new AccessCache(ctx))
