import type { AppContext } from '#context'
import { spend } from '#db/counters.ts'
import { mapPage, type Page } from '#db/paging.ts'
import type { RequestSource } from '#db/schema/contacts.ts'
import type { Db, Tx } from '#db/store.ts'
import { haveCommonOrganization } from '#domains/orgs/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import { budgetUsedUp } from '#http/budget.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { isLive, pushToUsers } from '#http/socket.ts'
import { topic } from '#platform/bus.ts'
import { DAY, SECOND } from '#platform/clock.ts'

import { findByCard } from '../card/card.service.ts'
import {
  alreadyContacts,
  contactsFull,
  oneself,
  oneTarget,
  otherContactsFull,
  rejectedRecently,
  requestClosed,
} from '../contacts.errors.ts'
import { LOOKUP_MS, REJECTED_MS, REQUESTS } from '../contacts.model.ts'
import { requestStatusAt, takesRequests } from '../contacts.rules.ts'
import { mayKnow } from '../contacts.service.ts'
import {
  countContacts,
  findLookups,
  findOpenRequests,
  findPerson,
  findSides,
  type PersonRow,
  type RequestRow,
  type Sides,
  upsertBlocked,
  upsertContact,
} from '../contacts.store.ts'
import { toPerson } from '../contacts.view.ts'
import type { ContactView } from '../list/list.model.ts'
import { contactView, directConversation } from '../list/list.service.ts'
import type { RequestsQuery, RequestView, SendRequest } from './requests.model.ts'
import * as store from './requests.store.ts'

/** A request was created or accepted. `userId`: the user who gets a frame about it. */
const REQUEST_CHANGED = topic<{ readonly requestId: number; readonly userId: number }>('contacts.request')

interface Limits {
  readonly maxContacts: number
  readonly requestsPerDay: number
  readonly expiresAfterMs: number
}

const limitsOf = async (ctx: AppContext): Promise<Limits> => ({
  maxContacts: await getSetting(ctx, 'chat.maxContacts'),
  requestsPerDay: await getSetting(ctx, 'chat.requestsPerDay'),
  expiresAfterMs: (await getSetting(ctx, 'chat.requestExpiryDays')) * DAY,
})

/**
 * The checks, in this order: the caller may know the person (404), who is not the caller and no two-way contact (400); a request that waits
 * is answered as it is; if the person has asked too, or still has the caller as a contact, both become contacts; the person takes
 * requests from the caller (404); the last rejection was a day ago and the caller has requests left today (429). A person who has
 * blocked the caller is treated like any other, except that the request is hidden from them.
 */
export async function sendRequest(
  ctx: AppContext,
  actor: Actor,
  caller: Caller,
  input: SendRequest,
): Promise<RequestView> {
  if ((input.userId == null) === (input.code == null)) throw oneTarget()
  const { userId } = actor
  const toId = input.userId ?? (await findByCard(ctx, caller, input.code!)).userId
  if (toId === userId) throw oneself()
  const limits = await limitsOf(ctx)
  return ctx.db.write('contacts.request', async (tx) => {
    const now = ctx.clock.now()
    const { sent, received } = await findOpenRequests(tx, userId, toId, now)
    const asked = sent !== undefined || (received !== undefined && !received.hidden)
    const person = await findPerson(tx, toId)
    const mayAsk = input.code != null || asked || (await mayKnow(ctx, tx, userId, toId))
    if (person === undefined || person.status === 'DELETED' || !mayAsk) throw notFound()
    const sides = await findSides(tx, userId, toId)
    if (sides.own?.isContact && sides.theirs?.isContact) throw alreadyContacts()
    if (sent !== undefined) return viewOf(ctx, tx, userId, sent.id, now)

    const atOnce = received !== undefined || (sides.theirs?.isContact === true && !sides.theirs.blocked)
    const source = await sourceOf(ctx, tx, { userId, person, byCode: input.code != null, now })
    if (!atOnce) await checkAllowed(tx, { userId, person, source, now })
    await countRequest(tx, userId, limits, now)
    const request = await store.insertRequest(tx, {
      fromId: userId,
      toId,
      message: input.message ?? '',
      remark: input.remark ?? '',
      source,
      status: atOnce ? 'ACCEPTED' : 'PENDING',
      hidden: !atOnce && sides.theirs?.blocked === true,
      createdAt: now,
      expiresAt: now + limits.expiresAfterMs,
      handledAt: atOnce ? now : null,
    })
    if (atOnce) await acceptAtOnce(tx, request, { sides, limits, now })
    else if (!request.hidden) tx.publish(REQUEST_CHANGED, { requestId: request.id, userId: toId })
    return viewOf(ctx, tx, userId, request.id, now)
  })
}

/** How the sender came to know the recipient. A look-up of a card counts until the card gets another code. */
async function sourceOf(
  ctx: AppContext,
  tx: Tx,
  { userId, person, byCode, now }: { userId: number; person: PersonRow; byCode: boolean; now: number },
): Promise<RequestSource> {
  if (byCode) return 'QR_CODE'
  const found = await findLookups(tx, userId, person.userId, now - LOOKUP_MS)
  if (found.some(({ source, foundAt }) => source === 'QR_CODE' && foundAt >= person.cardUpdatedAt)) return 'QR_CODE'
  if (found.some(({ source }) => source === 'SEARCH')) return 'SEARCH'
  if (await haveCommonOrganization(tx, userId, person.userId)) return 'ORG'
  const { own, theirs } = await findSides(tx, userId, person.userId)
  if (own !== undefined || theirs !== undefined || found.length > 0) return 'OTHER'
  // Otherwise only a conversation or a card that was received makes people known.
  return (await directConversation(ctx, tx, userId, person.userId)) === undefined ? 'CARD' : 'OTHER'
}

/** @throws AppError 404 if the person takes no requests from the user, 429 after a rejection */
async function checkAllowed(
  tx: Tx,
  { userId, person, source, now }: { userId: number; person: PersonRow; source: RequestSource; now: number },
): Promise<void> {
  const inCommonOrganization =
    person.whoMayRequest === 'ORG_MEMBERS' && (await haveCommonOrganization(tx, userId, person.userId))
  if (!takesRequests(person.whoMayRequest, { byCard: source === 'QR_CODE', inCommonOrganization })) throw notFound()
  const rejected = await store.rejectedAt(tx, userId, person.userId, now - REJECTED_MS)
  if (rejected !== undefined) throw rejectedRecently(Math.ceil((rejected + REJECTED_MS - now) / SECOND))
}

/** Also counts requests that are accepted at once, because each is a row. @throws AppError 429 */
async function countRequest(tx: Tx, userId: number, { requestsPerDay }: Limits, now: number): Promise<void> {
  if (requestsPerDay === 0) return
  const { name, counts, windowMs } = REQUESTS
  const use = { key: `${name}:user:${userId}`, limit: requestsPerDay, windowMs, counts }
  const refusal = await spend(tx, [use], now)
  if (refusal !== undefined) throw budgetUsedUp(refusal)
}

/** Both have asked, or the recipient still has the sender as a contact. If there are two requests, each user gets a frame about their own. */
async function acceptAtOnce(
  tx: Tx,
  request: RequestRow,
  { sides, limits, now }: { sides: Sides; limits: Limits; now: number },
): Promise<void> {
  const { fromId, toId } = request
  const crossing = await store.acceptPending(tx, toId, fromId, now)
  await becomeContacts(
    tx,
    { userId: fromId, otherId: toId, remark: request.remark, wasContact: sides.own?.isContact === true },
    {
      userId: toId,
      otherId: fromId,
      remark: crossing?.remark ?? '',
      wasContact: sides.theirs?.isContact === true,
    },
    limits,
  )
  tx.publish(REQUEST_CHANGED, { requestId: request.id, userId: fromId })
  tx.publish(REQUEST_CHANGED, { requestId: (crossing ?? request).id, userId: toId })
}

interface NewSide {
  readonly userId: number
  readonly otherId: number
  /** Empty: the side keeps the remark that it has. */
  readonly remark: string
  readonly wasContact: boolean
}

/** `own`: the side of the user who acts. @throws AppError 429 if either side has too many contacts */
async function becomeContacts(tx: Tx, own: NewSide, other: NewSide, { maxContacts }: Limits): Promise<number> {
  if (!own.wasContact && (await countContacts(tx, own.userId)) >= maxContacts) throw contactsFull()
  if (!other.wasContact && (await countContacts(tx, other.userId)) >= maxContacts) throw otherContactsFull()
  await upsertContact(tx, other)
  return (await upsertContact(tx, own)).id
}

/** Answers with the contact of the recipient, who accepts. If either has too many contacts, the request stays open. */
export async function acceptRequest(ctx: AppContext, actor: Actor, id: number, remark: string): Promise<ContactView> {
  const { userId } = actor
  const limits = await limitsOf(ctx)
  return ctx.db.write('contacts.accept', async (tx) => {
    const now = ctx.clock.now()
    const request = await closeOr(tx, userId, id, 'ACCEPTED', now)
    const { own, theirs } = await findSides(tx, userId, request.fromId)
    // A request of the recipient that the sender does not see, because the sender has blocked them.
    await store.acceptPending(tx, userId, request.fromId, now)
    const contactId = await becomeContacts(
      tx,
      { userId, otherId: request.fromId, remark, wasContact: own?.isContact === true },
      { userId: request.fromId, otherId: userId, remark: request.remark, wasContact: theirs?.isContact === true },
      limits,
    )
    for (const side of [userId, request.fromId]) tx.publish(REQUEST_CHANGED, { requestId: id, userId: side })
    return contactView(ctx, tx, userId, contactId)
  })
}

/** The sender sees the rejection, but gets no frame. */
export function rejectRequest(ctx: AppContext, actor: Actor, id: number, block: boolean): Promise<RequestView> {
  const { userId } = actor
  return ctx.db.write('contacts.reject', async (tx) => {
    const now = ctx.clock.now()
    const { fromId } = await closeOr(tx, userId, id, 'REJECTED', now)
    if (block) await upsertBlocked(tx, userId, fromId)
    return viewOf(ctx, tx, userId, id, now)
  })
}

/** @throws AppError 404 if the user is not the recipient, 400 if the request is not open */
async function closeOr(
  tx: Tx,
  userId: number,
  id: number,
  status: 'ACCEPTED' | 'REJECTED',
  now: number,
): Promise<RequestRow> {
  const closed = await store.closeRequest(tx, id, userId, status, now)
  if (closed !== undefined) return closed
  const seen = await store.findSeen(tx, userId, id)
  throw seen?.request.toId === userId ? requestClosed() : notFound()
}

export async function listRequests(
  ctx: AppContext,
  actor: Actor,
  direction: store.Direction,
  query: RequestsQuery,
): Promise<Page<RequestView>> {
  const now = ctx.clock.now()
  const page = await store.requestsPage(ctx.db.read, actor.userId, direction, query, now)
  return mapPage(page, (row) => toRequestView(ctx, row, now))
}

export const countOpen = async (ctx: AppContext, actor: Actor): Promise<{ count: number }> => ({
  count: await store.countOpen(ctx.db.read, actor.userId, ctx.clock.now()),
})

/** A request that exists and that the user sees. */
async function viewOf(ctx: AppContext, db: Db | Tx, userId: number, id: number, now: number): Promise<RequestView> {
  const seen = await store.findSeen(db, userId, id)
  return toRequestView(ctx, seen!, now)
}

/** Sends a `contact.request` frame to the live sockets of users whose requests change. */
export function startPushing(ctx: AppContext): void {
  ctx.bus.on(REQUEST_CHANGED, ({ requestId, userId }) => {
    if (!isLive(ctx, userId)) return
    push(ctx, userId, requestId).catch((error: unknown) =>
      ctx.log.error('a contact request could not be pushed', { userId, requestId, error }),
    )
  })
}

async function push(ctx: AppContext, userId: number, requestId: number): Promise<void> {
  const seen = await store.findSeen(ctx.db.read, userId, requestId)
  if (seen === undefined) return
  pushToUsers(ctx, [userId], { type: 'contact.request', data: toRequestView(ctx, seen, ctx.clock.now()) })
}

/** `now` (epoch milliseconds) decides whether a pending request has expired. */
function toRequestView(ctx: AppContext, seen: store.SeenRequest, now: number): RequestView {
  const { request } = seen
  const status = requestStatusAt(request, now)
  return {
    id: request.id,
    direction: request.toId === seen.userId ? 'OUTGOING' : 'INCOMING',
    ...toPerson(ctx, seen),
    message: request.message,
    source: request.source,
    status,
    contactId: status === 'ACCEPTED' ? seen.contactId : null,
    createdAt: request.createdAt,
    expiresAt: request.expiresAt,
    handledAt: request.handledAt,
  }
}
