/** The order in which messages and their changes are delivered, by sockets and by catching up. */

import type { Removal } from '#db/schema/chat.ts'

export interface Numbered {
  readonly id: number
  readonly changedNumber: number | null
  readonly recalledAt: number | null
}

export interface Delivery<Message extends Numbered> {
  /** The number of the message, or of its last change. */
  readonly number: number
  readonly kind: 'sent' | 'recalled' | 'changed'
  readonly message: Message
}

/** A user has deleted a message. Only that user's devices get it. */
export interface Deletion {
  readonly number: number
  readonly kind: 'deleted'
  readonly messageId: number
  readonly conversationId: number
  readonly userId: number
  readonly createdAt: number
}

export const sentDelivery = <Message extends Numbered>(message: Message): Delivery<Message> => ({
  number: message.id,
  kind: 'sent',
  message,
})

export const changeDelivery = <Message extends Numbered>(
  message: Message,
  number = message.changedNumber!,
): Delivery<Message> => ({ number, kind: message.recalledAt === null ? 'changed' : 'recalled', message })

/** The recall of a message, for devices that may have it. `removal` is left out of recalls by the sender. */
export const recallOf = ({
  id: messageId,
  conversationId,
  recalledAt,
  removal,
}: Numbered & { readonly conversationId: number; readonly removal: Removal | null }) => ({
  messageId,
  conversationId,
  recalledAt: recalledAt!,
  ...(removal !== null && { removal }),
})

export const inOrder = <Any extends { readonly number: number }>(deliveries: readonly Any[]): Any[] =>
  deliveries.toSorted((a, b) => a.number - b.number)
