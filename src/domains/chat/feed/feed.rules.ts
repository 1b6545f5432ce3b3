/** The order in which messages and their changes are delivered, by sockets and by catching up. */

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

export const sentDelivery = <Message extends Numbered>(message: Message): Delivery<Message> => ({
  number: message.id,
  kind: 'sent',
  message,
})

export const changeDelivery = <Message extends Numbered>(
  message: Message,
  number = message.changedNumber!,
): Delivery<Message> => ({ number, kind: message.recalledAt === null ? 'changed' : 'recalled', message })

export const inOrder = <Message extends Numbered>(deliveries: readonly Delivery<Message>[]): Delivery<Message>[] =>
  deliveries.toSorted((a, b) => a.number - b.number)
