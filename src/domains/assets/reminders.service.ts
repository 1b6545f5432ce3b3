/** Reminds users of warranties that end soon, and finds the keepers whom other reminders go to. */

import type { AppContext } from '#context'
import { orgOf } from '#db/owner-key.ts'
import type { Tx } from '#db/store.ts'
import { usersHoldingPoint } from '#domains/access/index.ts'
import { notify } from '#domains/notifications/index.ts'
import { isOrgEnabled } from '#domains/orgs/index.ts'
import { localTime } from '#lib/days.ts'
import { serverZone } from '#platform/clock.ts'

import * as store from './reminders.store.ts'

/** Users are reminded so many days before a warranty ends. */
const DAYS_AHEAD = 30
/** Assets of which one write reminds. */
const ASSETS_PER_WRITE = 200
/** Assets that a notification names. */
const NAMED = 5
const LISTED_IDS = 100
/** Keepers of an organization who are notified. */
export const MAX_KEEPERS = 20

/** Those who may hand out the assets of an organization; the user for personal ones. */
export async function keepersOf(tx: Tx, owner: number): Promise<number[]> {
  const orgId = orgOf(owner)
  const keepers = orgId === 0 ? [-owner] : await usersHoldingPoint(tx, orgId, 'asset:transfer', MAX_KEEPERS)
  return [...(await store.remindable(tx, orgId, keepers))]
}

/** Reminds of each end of a warranty once. A user gets one notification for all assets of an owner that are found together. */
export async function remindOfWarranties(ctx: AppContext): Promise<void> {
  const zone = serverZone()
  const today = localTime(ctx.clock.now(), zone).toPlainDate()
  const [from, to] = [today.toString(), today.add({ days: DAYS_AHEAD }).toString()]
  let after: store.EndingWarranty | undefined
  do {
    const found = await store.endingWarranties(ctx.db.readInWorker, from, to, after, ASSETS_PER_WRITE)
    if (found.length > 0)
      await ctx.db.write('assets.remindOfWarranties', async (tx) => {
        const ids = found.map((row) => row.id)
        const rows = await ofEnabled(tx, await store.stillEnding(tx, from, to, ids))
        if (rows.length === 0) return
        await store.saveReminded(tx, rows)
        await remind(ctx, tx, rows)
      })
    after = found.length < ASSETS_PER_WRITE ? undefined : found.at(-1)
    await Bun.sleep(0)
  } while (after !== undefined)
}

/** Nobody is reminded of assets of a DISABLED organization until it is enabled again. */
async function ofEnabled(tx: Tx, rows: readonly store.EndingWarranty[]): Promise<store.EndingWarranty[]> {
  const owners = new Set<number>()
  for (const { owner } of rows)
    if (!owners.has(owner) && (orgOf(owner) === 0 || (await isOrgEnabled(tx, orgOf(owner))))) owners.add(owner)
  return rows.filter(({ owner }) => owners.has(owner))
}

async function remind(ctx: AppContext, tx: Tx, rows: readonly store.EndingWarranty[]): Promise<void> {
  for (const [owner, ofOwner] of Map.groupBy(rows, (row) => row.owner)) {
    const orgId = orgOf(owner)
    const ids = ofOwner.flatMap(({ custodianId, userId }) => (custodianId === null ? [userId] : [custodianId, userId]))
    const ready = await store.remindable(tx, orgId, ids)
    const fallback = orgId === 0 ? undefined : await store.ownerOfOrg(tx, orgId)
    /** The custodian, or else the user who registered it, or else the owner of the organization. */
    const recipient = ({ custodianId, userId }: store.EndingWarranty): number | undefined =>
      custodianId !== null && ready.has(custodianId) ? custodianId : ready.has(userId) ? userId : fallback
    for (const [userId, some] of Map.groupBy(ofOwner, recipient))
      if (userId !== undefined) await notifyOf(ctx, tx, userId, orgId, some)
  }
}

async function notifyOf(
  ctx: AppContext,
  tx: Tx,
  userId: number,
  orgId: number,
  rows: readonly store.EndingWarranty[],
): Promise<void> {
  const named = rows.slice(0, NAMED)
  const more = rows.length - named.length
  const names = named.map(({ name, assetNo, warrantyExpiry }) => `${name} (${assetNo}), ${warrantyExpiry}`)
  await notify(ctx, tx, {
    userIds: [userId],
    type: 'ASSET',
    title: { en: 'Warranties end soon', zh: '保修即将到期' },
    body: {
      en: `${names.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`,
      zh: `${names.join('；')}${more > 0 ? `；另有 ${more} 项` : ''}。`,
    },
    data: {
      assetIds: rows.slice(0, LISTED_IDS).map(({ id }) => id),
      orgId: orgId || null,
      event: 'WARRANTY_ENDING',
    },
  })
}
