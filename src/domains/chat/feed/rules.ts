/** The order in which messages and their changes are delivered, by sockets and by catching up. */

import type { MessageRow } from '../messages/store.ts'

export interface Delivery {
  /** The number of the message, or of its last change. */
  readonly number: number
  readonly kind: 'sent' | 'recalled' | 'changed'
  readonly message: MessageRow
}

export const sentDelivery = (message: MessageRow): Delivery => ({ number: message.id, kind: 'sent', message })

export const changeDelivery = (message: MessageRow, number = message.changedNumber!): Delivery => ({
  number,
  kind: message.recalledAt === null ? 'changed' : 'recalled',
  message,
})

export const inOrder = (deliveries: readonly Delivery[]): Delivery[] =>
  deliveries.toSorted((a, b) => a.number - b.number)
