/** Reports and messages of finders, who have no account. */

import type { AppContext } from '#context'
import { findRefusal, spend } from '#db/counters.ts'
import type { FoundKind } from '#db/schema/found.ts'
import { type Budget, secondsOf, usesByAddress } from '#http/budget.ts'
import type { Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { checkPosition } from '#http/validate.ts'
import { DAY } from '#platform/clock.ts'
import { bytes, sha256 } from '#platform/ids.ts'
import type { Refusal, Use } from '#platform/limiter.ts'

import { isShown, takesMessages } from '../cards/cards.service.ts'
import { findCard } from '../cards/cards.store.ts'
import { MAX_MESSAGE } from '../forms/forms.model.ts'
import { KEY_MS, readKey } from '../forms/forms.service.ts'
import { conversationEnded, conversationFull, messageTooLong, pageTooOld, tooManyReports } from '../found.errors.ts'
import { notifyOwner } from '../notices.service.ts'
import { FINDER_MESSAGES } from '../reports/reports.model.ts'
import * as store from '../reports/reports.store.ts'
import { toMessage } from '../reports/reports.view.ts'
import { thingsOf } from '../things.service.ts'
import type { NewReport, ThreadView } from './threads.model.ts'

/** Counted in the write, by keyed hashes of the addresses. */
export const reportsByAddress: Budget = {
  name: 'found reports',
  counts: { en: 'messages to owners', zh: '发送给失主的消息' },
  per: 'address',
  limit: 5,
  windowMs: DAY,
  durable: true,
  countedByRun: true,
}
const REPORTS_OF_THING = 20

export const threadPath = (secret: string): string => `/public/found/thread/${secret}`

/** Returns the secret of the new conversation. @throws AppError 400 for a key that cannot be used, 429 */
export async function report(ctx: AppContext, key: string, input: NewReport, caller: Caller): Promise<string> {
  const { kind, id, nonce } = readKey(ctx, key)
  const message = cleanMessage(input.message)
  checkPosition(input)
  const { latitude = null, longitude = null } = input
  const accuracy = latitude === null ? null : (input.accuracy ?? null)
  const once = { key: `found:key:${nonce}`, limit: 1, windowMs: KEY_MS }
  const uses = [once, ...(ctx.config.rateLimit ? [...ofAddress(ctx, caller.ip), ofThing(kind, id)] : [])]
  const requireUses = (refusal: Refusal | undefined) => {
    if (refusal) throw refusal.use === once ? pageTooOld() : tooManyReports(secondsOf(refusal))
  }
  // Most messages of a flood are refused here and cost no write.
  requireUses(await findRefusal(ctx.db.read, uses, ctx.clock.now()))
  const secret = Buffer.from(bytes(16)).toString('base64url')
  await ctx.db.write('found.report', async (tx) => {
    requireUses(await spend(tx, uses, ctx.clock.now()))
    const thing = await thingsOf(ctx, kind).find(tx, id)
    const card = await findCard(tx, kind, id)
    if (!thing?.isPublic || card === undefined || !takesMessages(card) || !isShown(card, thing.isLost))
      throw pageTooOld()
    const { owner, title } = thing
    const found = { owner, kind, targetId: id, title, secretHash: sha256(secret) }
    const given = { contact: input.contact || null, latitude, longitude, accuracy }
    await notifyOwner(ctx, tx, await store.insertReport(tx, { ...found, ...given }, message), card.locale)
  })
  return secret
}

/** One for each network of the address. The keys are keyed hashes, and are deleted when the day is over. */
const ofAddress = (ctx: AppContext, ip: string): Use[] =>
  usesByAddress({ key: '', limit: reportsByAddress.limit as number, windowMs: DAY }, ip).map((use) => ({
    ...use,
    key: `found:address:${ctx.seal.mac(`found address ${use.key}`)}`,
  }))

const ofThing = (kind: FoundKind, id: number): Use => ({
  key: `found:thing:${kind}:${id}`,
  limit: REPORTS_OF_THING,
  windowMs: DAY,
})

function cleanMessage(message: string): string {
  const text = message.replaceAll('\r\n', '\n')
  if (text.length > MAX_MESSAGE) throw messageTooLong(MAX_MESSAGE)
  return text
}

/** @throws AppError 404 for a secret that is wrong or has ended */
export async function readThread(ctx: AppContext, secret: string): Promise<ThreadView> {
  const row = await store.findBySecret(ctx.db.read, sha256(secret), ctx.clock.now())
  if (row === undefined) throw notFound()
  return toThread(row, await store.messagesOf(ctx.db.read, row.id))
}

export const writeToThread = async (ctx: AppContext, secret: string, given: string): Promise<ThreadView> => {
  const message = cleanMessage(given)
  const hash = sha256(secret)
  // Wrong secrets and messages of a flood cost no write.
  requireRoom(await store.findBySecret(ctx.db.read, hash, ctx.clock.now()))
  return ctx.db.write('found.write', async (tx) => {
    const before = requireRoom(await store.findBySecret(tx, hash, tx.stamp))
    const row = await store.addMessage(tx, 'finder', before, message)
    if (row === undefined) throw notFound()
    const card = await findCard(tx, row.kind, row.targetId)
    await notifyOwner(ctx, tx, row, card?.locale ?? 'en')
    return toThread(row, await store.messagesOf(tx, row.id))
  })
}

/** @throws AppError 404, 429 after as many messages as a finder can write, 400 for a conversation that the owner closed */
function requireRoom(row: store.ReportRow | undefined): store.ReportRow {
  if (row === undefined) throw notFound()
  if (row.finderMessages >= FINDER_MESSAGES) throw conversationFull(FINDER_MESSAGES)
  if (row.status === 'CLOSED') throw conversationEnded()
  return row
}

const toThread = (row: store.ReportRow, messages: readonly store.MessageRow[]): ThreadView => ({
  status: row.status,
  messages: messages.map(toMessage),
  canWrite: row.status !== 'CLOSED' && row.finderMessages < FINDER_MESSAGES,
  endsAt: row.endsAt,
})
