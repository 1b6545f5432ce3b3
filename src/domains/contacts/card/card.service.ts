import type { AppContext } from '#context'
import { guess } from '#http/budget.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { CODE_ALPHABET, randomCode } from '#platform/ids.ts'

import { tooManyWrongCodes } from '../contacts.errors.ts'
import { CARD_CODE_LENGTH, CARD_PREFIX, WRONG_CODES } from '../contacts.model.ts'
import { cardCodeIn } from '../contacts.rules.ts'
import { findPerson } from '../contacts.store.ts'
import type { CardView } from './card.model.ts'
import * as store from './card.store.ts'

/** The user's card, which is made when the user first asks for it. */
export async function getCard(ctx: AppContext, actor: Actor): Promise<CardView> {
  const { userId } = actor
  const card = await store.findCard(ctx.db.read, userId)
  if (card !== undefined) return toView(ctx, card)
  const made = newCard(ctx)
  return ctx.db.write('contacts.makeCard', async (tx) => {
    const other = await store.findCard(tx, userId)
    if (other !== undefined) return toView(ctx, other)
    await store.replaceCard(tx, userId, made)
    return toView(ctx, made)
  })
}

export async function refreshCard(ctx: AppContext, actor: Actor): Promise<CardView> {
  const card = newCard(ctx)
  return ctx.db.write('contacts.refreshCard', async (tx) => {
    await store.replaceCard(tx, actor.userId, card)
    return toView(ctx, card)
  })
}

const newCard = (ctx: AppContext): store.Card => ({
  code: randomCode(CODE_ALPHABET, CARD_CODE_LENGTH),
  updatedAt: ctx.clock.now(),
})

const toView = (ctx: AppContext, { code, updatedAt }: store.Card): CardView => {
  const content = CARD_PREFIX + code
  const imageUrl = `${ctx.config.publicUrl}/api/qrcode/render?content=${encodeURIComponent(content)}`
  return { code, content, imageUrl, updatedAt }
}

/**
 * The active user whose card has the code in this text, else a 404. After too many wrong codes, every code from this address gets a 4022.
 * A user who has blocked the caller is found too. A 404 would show the block to anyone who tries the code with another account.
 */
export async function findByCard(
  ctx: AppContext,
  { ip }: Pick<Caller, 'ip'>,
  text: string,
): Promise<{ readonly userId: number }> {
  const userId = await guess(ctx, WRONG_CODES, ip, tooManyWrongCodes, () => {
    const code = cardCodeIn(text)
    return code === undefined ? undefined : store.findByCode(ctx.db.read, code)
  })
  if (userId === undefined) throw notFound()
  return { userId }
}

/** The user whose card was scanned. Does not count as finding them: clients then ask for the card by its code. */
export async function resolveCard(
  ctx: AppContext,
  _userId: number,
  content: string,
): Promise<{ id: number; title: string } | undefined> {
  const code = cardCodeIn(content)
  const id = code === undefined ? undefined : await store.findByCode(ctx.db.read, code)
  const person = id === undefined ? undefined : await findPerson(ctx.db.read, id)
  return person && { id: person.userId, title: person.nickname }
}
