import type { AppContext } from '#context'
import { type Page, readerFor } from '#db/paging.ts'
import type { Db, Tx } from '#db/store.ts'
import { contributions, emit } from '#domains/domain.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import { countContacts } from '../contacts.store.ts'
import { toPerson } from '../contacts.view.ts'
import type { ContactDetail, ContactView, ListQuery } from './list.model.ts'
import * as store from './list.store.ts'

export async function listContacts(ctx: AppContext, actor: Actor, query: ListQuery): Promise<Page<ContactView>> {
  const { userId } = actor
  const pageIn = (db: Db) => store.contactsPage(db, userId, query)
  const page = await (query.keyword
    ? ctx.db.search(userId, pageIn)
    : pageIn(readerFor(ctx.db, await countContacts(ctx.db.read, userId))))
  return { ...page, items: await toViews(ctx, ctx.db.read, userId, page.items) }
}

export async function getContact(ctx: AppContext, actor: Actor, contactId: number): Promise<ContactDetail> {
  const { userId } = actor
  const row = await store.findContact(ctx.db.read, userId, contactId)
  if (row === undefined) throw notFound()
  const [view] = await toViews(ctx, ctx.db.read, userId, [row])
  return {
    ...view!,
    signature: row.signature,
    conversationId: (await directConversation(ctx, ctx.db.read, userId, row.contact.otherId)) ?? null,
  }
}

/** The id of the user's conversation with the other one. */
export async function directConversation(
  ctx: AppContext,
  db: Db | Tx,
  userId: number,
  otherId: number,
): Promise<number | undefined> {
  for (const find of contributions(ctx, 'directConversation')) {
    const id = await find(db, userId, otherId)
    if (id !== undefined) return id
  }
  return undefined
}

export const setRemark = (ctx: AppContext, actor: Actor, contactId: number, remark: string | null) =>
  ctx.db.write('contacts.setRemark', (tx) => update(ctx, tx, actor, contactId, { remark: remark ?? '' }))

export const setTags = (ctx: AppContext, actor: Actor, contactId: number, tags: readonly string[]) =>
  ctx.db.write('contacts.setTags', (tx) => update(ctx, tx, actor, contactId, { tags: [...new Set(tags)] }))

export const blockContact = (ctx: AppContext, actor: Actor, contactId: number) =>
  ctx.db.write('contacts.block', (tx) => update(ctx, tx, actor, contactId, { blocked: true }))

/** The row of a user who was only blocked is deleted; the answer shows it for the last time. */
export const unblockContact = (ctx: AppContext, actor: Actor, contactId: number) =>
  ctx.db.write('contacts.unblock', async (tx) => {
    const view = await update(ctx, tx, actor, contactId, { blocked: false })
    await store.deleteIfNoContact(tx, actor.userId, contactId)
    return view
  })

async function update(
  ctx: AppContext,
  tx: Tx,
  { userId }: Actor,
  contactId: number,
  change: Parameters<typeof store.updateContact>[3],
): Promise<ContactView> {
  if (!(await store.updateContact(tx, userId, contactId, change))) throw notFound()
  return contactView(ctx, tx, userId, contactId)
}

/** Deletes the user's side only. The other side is not notified. */
export const deleteContact = (ctx: AppContext, actor: Actor, contactId: number): Promise<void> =>
  ctx.db.write('contacts.delete', async (tx) => {
    const otherId = await store.deleteContact(tx, actor.userId, contactId)
    if (otherId === undefined) throw notFound()
    await emit(ctx, tx, 'contact.deleted', { userId: actor.userId, otherId })
  })

/** A contact that exists. */
export async function contactView(
  ctx: AppContext,
  db: Db | Tx,
  userId: number,
  contactId: number,
): Promise<ContactView> {
  const row = await store.findContact(db, userId, contactId)
  const [view] = await toViews(ctx, db, userId, [row!])
  return view!
}

async function toViews(
  ctx: AppContext,
  db: Db | Tx,
  userId: number,
  rows: readonly store.ContactWithPerson[],
): Promise<ContactView[]> {
  const otherIds = rows.map((row) => row.contact.otherId)
  const twoWay = await store.whoHave(db, userId, otherIds)
  return rows.map(({ contact, nickname, avatar }) => ({
    id: contact.id,
    ...toPerson(ctx, { userId: contact.otherId, nickname, avatar }),
    remark: contact.remark,
    tags: [...contact.tags],
    blocked: contact.blocked,
    twoWay: contact.isContact && twoWay.has(contact.otherId),
    createdAt: contact.createdAt,
  }))
}
