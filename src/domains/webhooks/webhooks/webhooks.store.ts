import { and, asc, count, desc, eq, isNotNull, isNull, ne, sql } from 'drizzle-orm'

import type { OwnerKey } from '#db/owner-key.ts'
import { type Page, type PageInput, pageOf } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { users } from '#db/schema/accounts.ts'
import { webhookDeliveries, webhooks } from '#db/schema/webhooks.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'
import { hasProvedEmail } from '#domains/accounts/index.ts'

export type WebhookRow = typeof webhooks.$inferSelect

const p = sql.placeholder
const isKept = isNull(webhooks.deletedAt)

const byId = prepared((db) =>
  db
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.id, p('id')), isKept)),
)
/** A webhook of any owner: the caller checks whose it is. */
export const findWebhook = async (db: Db | Tx, id: number): Promise<WebhookRow | undefined> =>
  (await byId(db, { id }))[0]

/** The newest first. */
export const webhooksPage = (db: Db, owner: OwnerKey, page: PageInput): Promise<Page<WebhookRow>> =>
  pageOf(db, webhooks, { where: and(eq(webhooks.owner, owner), isKept), orderBy: [desc(webhooks.id)], page })

export async function countWebhooks(tx: Tx, owner: OwnerKey): Promise<number> {
  const [row] = await tx
    .select({ n: count() })
    .from(webhooks)
    .where(and(eq(webhooks.owner, owner), isKept))
  return row!.n
}

type Columns = typeof webhooks.$inferInsert
export type NewWebhook = Pick<Columns, 'scope' | 'owner' | 'userId' | 'name' | 'url' | 'events' | 'secret' | 'enabled'>

export async function insertWebhook(tx: Tx, values: NewWebhook): Promise<WebhookRow> {
  const [row] = await tx
    .insert(webhooks)
    .values({
      ...values,
      disabledReason: values.enabled ? null : 'OWNER',
      enabledAt: tx.stamp,
      createdAt: tx.stamp,
      updatedAt: tx.stamp,
    })
    .returning()
  return row!
}

export async function changeWebhook(
  tx: Tx,
  { id, owner }: Pick<WebhookRow, 'id' | 'owner'>,
  change: Partial<Columns>,
): Promise<WebhookRow> {
  const [row] = await tx
    .update(webhooks)
    .set(change)
    .where(and(eq(webhooks.id, id), eq(webhooks.owner, owner)))
    .returning()
  return row!
}

/** Those of its deliveries that wait are sent now. */
export async function makeDue(tx: Tx, id: number, now: number): Promise<void> {
  await tx
    .update(webhooks)
    .set({ dueAt: now })
    .where(and(eq(webhooks.id, id), sql`${webhooks.pending} > 0`))
}

/** The webhooks of an owner end at once; the job deletes their deliveries. Returns whether there were any. */
export async function endWebhooks(tx: Tx, owner: OwnerKey): Promise<boolean> {
  const rows = await tx
    .update(webhooks)
    .set({ enabled: false, dueAt: null, deletedAt: tx.stamp })
    .where(and(eq(webhooks.owner, owner), isKept))
    .returning({ id: webhooks.id })
  return rows.length > 0
}

export async function firstEnded(db: Db): Promise<number | undefined> {
  const [row] = await db
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(isNotNull(webhooks.deletedAt))
    .orderBy(asc(webhooks.id))
    .limit(1)
  return row?.id
}

export const deleteDeliveries = (tx: Tx, webhookId: number, limit: number): Promise<number> =>
  deleteSome(tx, webhookDeliveries, eq(webhookDeliveries.webhookId, webhookId), limit)

export const deleteEnded = async (tx: Tx, id: number): Promise<void> =>
  void (await tx.delete(webhooks).where(and(eq(webhooks.id, id), isNotNull(webhooks.deletedAt))))

export async function userExists(tx: Tx, id: number): Promise<boolean> {
  const rows = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, id), ne(users.status, 'DELETED')))
  return rows.length > 0
}

/** Whether the user has proved an e-mail address. */
export async function hasProvedAddress(tx: Tx, userId: number): Promise<boolean> {
  const rows = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), hasProvedEmail(tx, sql`${users.id}`)))
  return rows.length > 0
}

/** Enough to decide what a webhook gets. */
export type Subscription = Pick<WebhookRow, 'id' | 'owner' | 'events'>

const isOn = and(eq(webhooks.enabled, true), isKept)
const subscription = { id: webhooks.id, owner: webhooks.owner, events: webhooks.events }

/** The enabled webhooks of these owners; without owners, of all. */
export async function subscriptions(db: Db | Tx, owners?: readonly OwnerKey[]): Promise<Subscription[]> {
  if (owners === undefined) return db.select(subscription).from(webhooks).where(isOn)
  const rows: Subscription[] = []
  for (const owner of owners) rows.push(...(await subscriptionsOf(db, { owner })))
  return rows
}

const subscriptionsOf = prepared((db) =>
  db
    .select(subscription)
    .from(webhooks)
    .where(and(eq(webhooks.owner, p('owner')), isOn)),
)
