/** Sendings that wait are stored by one write, because all of them would take the lock of the numbers one after the other. */

import { type AppContext, perContext } from '#context'
import { type Gathered, GatheredWrites } from '#db/gathered-writes.ts'
import type { Tx } from '#db/store.ts'

import { IN_ORDER } from '../numbers.ts'
import { type Outcome, sendAll, type Sending } from './posting.service.ts'

/** The outcome of a sending that was not refused. */
export type Sent = Exclude<Outcome, { readonly kind: 'refused' | 'later' }>

function gathered(outcome: Outcome): Gathered<Sent> {
  if (outcome.kind === 'later') return 'later'
  return outcome.kind === 'refused' ? { error: outcome.error } : { value: outcome }
}

const sendings = perContext(
  (ctx) =>
    new GatheredWrites<Sending, Sent>(
      ctx.db,
      'chat.send',
      async (tx, list) => (await sendAll(ctx, tx, list)).map(gathered),
      IN_ORDER,
    ),
)

/** Sends in a write that does more. @throws AppError if the messages are refused */
export async function sendOne(ctx: AppContext, tx: Tx, sending: Sending): Promise<Sent> {
  const [outcome] = await sendAll(ctx, tx, [sending])
  if (outcome!.kind === 'refused') throw outcome!.error
  return outcome as Sent
}

/** Sends together with others that wait. @throws AppError if the messages are refused */
export const sendInGroup = (ctx: AppContext, sending: Sending): Promise<Sent> => sendings(ctx).add(sending)
