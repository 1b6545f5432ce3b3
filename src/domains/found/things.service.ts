/** The things that can be found, as the domains that own them contribute them. */

import type { AppContext } from '#context'
import { orgOf, type OwnerKey } from '#db/owner-key.ts'
import { FOUND_KINDS, type FoundKind } from '#db/schema/found.ts'
import type { Db, Tx } from '#db/store.ts'
import { can } from '#domains/access/index.ts'
import type { FoundThing, FoundThings } from '#domains/contributions.ts'
import { contributions } from '#domains/domain.ts'
import type { FindOrganization, Owner } from '#http/endpoint.ts'

export function thingsOf(ctx: AppContext, kind: FoundKind): FoundThings {
  for (const things of contributions(ctx, 'foundThings')) if (things[kind] !== undefined) return things[kind]
  throw new Error(`no domain has things of the kind ${kind}`)
}

/** Undefined if the thing is deleted or belongs to another owner. */
export async function findOwn(
  ctx: AppContext,
  db: Db | Tx,
  kind: FoundKind,
  owner: OwnerKey,
  id: number,
): Promise<FoundThing | undefined> {
  const thing = await thingsOf(ctx, kind).find(db, id)
  return thing?.owner === owner ? thing : undefined
}

export const organizationOf =
  (kind: FoundKind): FindOrganization =>
  async (db, id, { ctx }) => {
    const thing = await thingsOf(ctx, kind).find(db, id)
    return thing && orgOf(thing.owner)
  }

/** The kinds of things of which the user may see or change the reports: all of their own, otherwise by their points in the organization. */
export async function kindsFor(
  ctx: AppContext,
  { userId, orgId }: Owner,
  action: 'read' | 'update',
): Promise<FoundKind[]> {
  if (orgId === 0) return [...FOUND_KINDS]
  const held: FoundKind[] = []
  for (const kind of FOUND_KINDS) if (await can(ctx, userId, 'ORG', orgId, thingsOf(ctx, kind)[action])) held.push(kind)
  return held
}
