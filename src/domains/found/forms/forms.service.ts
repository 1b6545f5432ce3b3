/** The form on the public page of a thing, and the key that proves that a message was written on this page. */

import type { AppContext } from '#context'
import { FOUND_KINDS, type FoundKind } from '#db/schema/found.ts'
import { HOUR, SECOND } from '#platform/clock.ts'
import { uuid } from '#platform/ids.ts'

import { findShownCard, takesMessages } from '../cards/cards.service.ts'
import { pageTooOld, tooFast } from '../found.errors.ts'
import type { FoundForm } from './forms.model.ts'

export const KEY_MS = 2 * HOUR
/** No person has read the page and written a message sooner. */
const READING_MS = 2 * SECOND

/** The card of a thing as its public page shows it; null if it shows none now. */
export async function findForm(
  ctx: AppContext,
  kind: FoundKind,
  thing: { readonly id: number; readonly isLost: boolean },
): Promise<FoundForm | null> {
  const card = await findShownCard(ctx, kind, thing)
  if (card === undefined) return null
  const hasForm = takesMessages(card)
  return {
    key: hasForm ? makeKey(ctx, kind, thing.id) : null,
    text: card.text,
    askPosition: hasForm && card.askPosition,
  }
}

/** The content of a key. It is encrypted, because pages do not show the ids of things. */
interface KeyContent {
  readonly kind: FoundKind
  readonly id: number
  /** Marks the key as used. */
  readonly nonce: string
}

const PURPOSE = 'found'

const makeKey = (ctx: AppContext, kind: FoundKind, id: number): string =>
  ctx.seal.seal([PURPOSE, kind, id, ctx.clock.now(), uuid()].join(' '))

/** @throws AppError 400 for a key that this server did not make, or that is too old or too new */
export function readKey(ctx: AppContext, key: string): KeyContent {
  const [purpose, kind, id, madeAt, nonce] = ctx.seal.open(key)?.split(' ') ?? []
  const known = FOUND_KINDS.find((one) => one === kind)
  if (purpose !== PURPOSE || known === undefined || nonce === undefined) throw pageTooOld()
  const age = ctx.clock.now() - Number(madeAt)
  if (age > KEY_MS) throw pageTooOld()
  if (age < READING_MS) throw tooFast()
  return { kind: known, id: Number(id), nonce }
}
