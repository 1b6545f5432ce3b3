import type { AppContext } from '#context'
import type { RequestSource } from '#db/schema/contacts.ts'
import { normalizeEmail, normalizePhone, userIdsByProvedContact } from '#domains/accounts/index.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import { findByCard } from '../card/card.service.ts'
import { findOpenRequests, findPerson, findSides, type PersonRow, type Sides, upsertLookup } from '../contacts.store.ts'
import { toPerson } from '../contacts.view.ts'
import type { FoundCard, FoundPerson, SearchResult } from './search.model.ts'

/** An id that no user has. */
const NOBODY = 0

/**
 * Finds the user who proved this e-mail or phone. Unknown and unproved contacts, users who hide and users who have blocked the caller
 * get the same answer after the same queries.
 */
export async function search(ctx: AppContext, actor: Actor, q: string): Promise<SearchResult> {
  const { userId } = actor
  const isEmail = q.includes('@')
  const credential = (isEmail ? normalizeEmail(q) : await normalizePhone(q)) ?? ''
  const ids = await userIdsByProvedContact(ctx.db.read, isEmail ? 'EMAIL' : 'PHONE', [credential])
  const relation = await relationTo(ctx, userId, ids.get(credential) ?? NOBODY)
  const { person, sides } = relation
  const isFindable = isEmail ? person?.findableByEmail : person?.findableByPhone
  const isSelf = person?.userId === userId
  if (person === undefined || !(isSelf || (isFindable && !sides.theirs?.blocked))) return { items: [] }
  await recordLookup(ctx, userId, person.userId, 'SEARCH')
  return { items: [toView(ctx, userId, person, relation)] }
}

export async function getByCard(ctx: AppContext, actor: Actor, caller: Caller, code: string): Promise<FoundCard> {
  const { userId } = actor
  const found = await findByCard(ctx, caller, code)
  const relation = await relationTo(ctx, userId, found.userId)
  if (relation.person === undefined) throw notFound()
  await recordLookup(ctx, userId, found.userId, 'QR_CODE')
  return { ...toView(ctx, userId, relation.person, relation), signature: relation.person.signature }
}

/** For a day the user may name the person who was found. */
async function recordLookup(ctx: AppContext, userId: number, foundId: number, source: RequestSource): Promise<void> {
  if (foundId === userId) return
  await ctx.db.write('contacts.lookUp', (tx) => upsertLookup(tx, { userId, foundId, source }, ctx.clock.now()))
}

interface Relation {
  readonly person: PersonRow | undefined
  readonly sides: Sides
  readonly hasSent: boolean
  readonly hasReceived: boolean
}

async function relationTo(ctx: AppContext, userId: number, otherId: number): Promise<Relation> {
  const { read } = ctx.db
  const person = await findPerson(read, otherId)
  const sides = await findSides(read, userId, otherId)
  const { sent, received } = await findOpenRequests(read, userId, otherId, ctx.clock.now())
  return { person, sides, hasSent: sent !== undefined, hasReceived: received !== undefined && !received.hidden }
}

function toView(
  ctx: AppContext,
  userId: number,
  person: PersonRow,
  { sides, hasSent, hasReceived }: Relation,
): FoundPerson {
  const relation = () => {
    if (person.userId === userId) return 'SELF'
    if (sides.own?.isContact) return 'CONTACT'
    if (hasSent) return 'REQUEST_SENT'
    return hasReceived ? 'REQUEST_RECEIVED' : 'NONE'
  }
  return { ...toPerson(ctx, person), relation: relation(), contactId: sides.own?.id ?? null }
}
