/**
 * Sendings that wait are stored by one write: taking the lock of the numbers, the round trips to PostgreSQL and the flush to the disk cost as much for
 * one message as for a hundred. Nothing waits for a group to fill: while a write runs, those that arrive are the next group.
 */

import { type AppContext, perContext } from '#context'
import { isAroundWrites, outsideRequest } from '#db/around-writes.ts'
import { StorageError } from '#db/errors.ts'
import type { Tx } from '#db/store.ts'
import { scopes, type Span } from '#platform/spans.ts'

import { IN_ORDER } from '../numbers.ts'
import { type Outcome, sendAll, type Sending } from './posting.service.ts'

/** Sendings in one write: some milliseconds. */
const MAX_GROUP = 256

/** The outcome of a sending that was not refused. */
export type Sent = Exclude<Outcome, { readonly kind: 'refused' | 'later' }>

interface Waiting {
  readonly sending: Sending
  readonly span: Span | undefined
  resolve(sent: Sent): void
  reject(error: unknown): void
}

class Queue {
  #waiting: Waiting[] = []
  #running = false

  constructor(readonly ctx: AppContext) {}

  add(sending: Sending): Promise<Sent> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ sending, span: scopes.getStore()?.span, resolve, reject })
      if (!this.#running) void outsideRequest(() => this.#run())
    })
  }

  async #run(): Promise<void> {
    this.#running = true
    while (this.#waiting.length > 0) await this.#sendGroup()
    this.#running = false
  }

  async #sendGroup(): Promise<void> {
    let group: Waiting[] = []
    let outcomes: Outcome[]
    try {
      const write = () =>
        this.ctx.db.write(
          'chat.send',
          (tx) => {
            // Now, because others have arrived while the write waited. After a conflict it runs again, with the same ones and more.
            group = [...group, ...this.#waiting.splice(0, MAX_GROUP - group.length)]
            return sendAll(
              this.ctx,
              tx,
              group.map(({ sending }) => sending),
            )
          },
          IN_ORDER,
        )
      // The write is in the trace of one of its requests.
      const span = this.#waiting.find((one) => one.span !== undefined)?.span
      outcomes = await (span === undefined ? write() : span.run(write))
    } catch (error) {
      if (group.length === 0) this.#rejectAll(this.#waiting.splice(0), error)
      else if (group.length === 1 || error instanceof StorageError) this.#rejectAll(group, error)
      else for (const one of group) await this.#sendAlone(one)
      return
    }
    const later: Waiting[] = []
    for (const [i, one] of group.entries()) {
      const outcome = outcomes[i]!
      if (outcome.kind === 'later') later.push(one)
      else if (outcome.kind === 'refused') one.reject(outcome.error)
      else one.resolve(outcome)
    }
    this.#waiting = [...later, ...this.#waiting]
  }

  /** A statement of the group has failed, perhaps because of one of the sendings: the others must not fail with it. */
  async #sendAlone({ sending, resolve, reject }: Waiting): Promise<void> {
    try {
      resolve(await this.ctx.db.write('chat.send', (tx) => sendOne(this.ctx, tx, sending), IN_ORDER))
    } catch (error) {
      reject(error)
    }
  }

  #rejectAll(lost: readonly Waiting[], error: unknown): void {
    for (const { reject } of lost) reject(error)
  }
}

const queueOf = perContext((ctx) => new Queue(ctx))

/** Sends in a write that does more. @throws AppError if the messages are refused */
export async function sendOne(ctx: AppContext, tx: Tx, sending: Sending): Promise<Sent> {
  const [outcome] = await sendAll(ctx, tx, [sending])
  if (outcome!.kind === 'refused') throw outcome!.error
  return outcome as Sent
}

/** Sends together with others that wait. @throws AppError if the messages are refused */
export const sendInGroup = (ctx: AppContext, sending: Sending): Promise<Sent> =>
  // The result of the write is kept with the key of the request, in the same transaction.
  isAroundWrites() ? ctx.db.write('chat.send', (tx) => sendOne(ctx, tx, sending), IN_ORDER) : queueOf(ctx).add(sending)
