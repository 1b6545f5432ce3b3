/** Finder cards, which the public pages of things show. */

import type { AppContext } from '#context'
import { ownerKey } from '#db/owner-key.ts'
import type { FoundKind } from '#db/schema/found.ts'
import type { FoundThing } from '#domains/contributions.ts'
import type { Caller, Owner } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import { onlyAssetsAreLost } from '../found.errors.ts'
import { findOwn } from '../things.service.ts'
import type { FoundCardView, UpdateFoundCard } from './cards.model.ts'
import { type CardRow, findCard, saveCard } from './cards.store.ts'

type Card = Pick<CardRow, 'when' | 'text' | 'allowMessage' | 'askPosition'>

const DEFAULTS: Card = { when: 'OFF', text: '', allowMessage: true, askPosition: true }

export async function getCard(ctx: AppContext, kind: FoundKind, owner: Owner, id: number): Promise<FoundCardView> {
  const thing = await findOwn(ctx, ctx.db.read, kind, ownerKey(owner), id)
  if (thing === undefined) throw notFound()
  return toView((await findCard(ctx.db.read, kind, id)) ?? DEFAULTS, thing)
}

export async function updateCard(
  ctx: AppContext,
  kind: FoundKind,
  owner: Owner,
  id: number,
  input: UpdateFoundCard,
  { locale }: Caller,
): Promise<FoundCardView> {
  if (input.when === 'LOST' && kind !== 'ASSET') throw onlyAssetsAreLost()
  return ctx.db.write('found.updateCard', async (tx) => {
    const thing = await findOwn(ctx, tx, kind, ownerKey(owner), id)
    if (thing === undefined) throw notFound()
    const { when, text, allowMessage, askPosition } = { ...DEFAULTS, ...(await findCard(tx, kind, id)), ...input }
    const card = { when, text, allowMessage, askPosition }
    await saveCard(tx, { ...card, kind, targetId: id, owner: thing.owner, locale })
    return toView(card, thing)
  })
}

const toView = ({ when, text, allowMessage, askPosition }: Card, { publicFields }: FoundThing): FoundCardView => ({
  when,
  text,
  allowMessage,
  askPosition,
  publicFields: [...publicFields],
})

/** The card of a thing if its page shows one now. */
export async function findShownCard(
  ctx: AppContext,
  kind: FoundKind,
  { id, isLost }: { readonly id: number; readonly isLost: boolean },
): Promise<CardRow | undefined> {
  const card = await findCard(ctx.db.read, kind, id)
  return card !== undefined && isShown(card, isLost) ? card : undefined
}

export const isShown = ({ when }: Pick<CardRow, 'when'>, isLost: boolean): boolean =>
  when === 'ALWAYS' || (when === 'LOST' && isLost)

/** Not for things of a disabled organization, whose members could not answer. */
export const takesMessages = ({ allowMessage, orgStatus }: Pick<CardRow, 'allowMessage' | 'orgStatus'>): boolean =>
  allowMessage && orgStatus !== 'DISABLED'
