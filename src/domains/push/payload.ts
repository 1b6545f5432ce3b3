/** The texts that devices get: no more than their notifications show. */

import type { DeviceMessage } from '#domains/chat/index.ts'
import type { NotificationCreated } from '#domains/events.ts'
import { DAY, SECOND } from '#platform/clock.ts'

import { excerptOf } from './push.rules.ts'
import type { SubscriptionRow } from './push.store.ts'

/** A message for one device. */
export interface Push {
  readonly subscription: SubscriptionRow
  readonly text: string
  readonly urgency: 'high' | 'normal'
  /** Names what the message is about; a newer one about it replaces it. Never sent as it is. */
  readonly about: string
}

/** Seconds for which a push service keeps a message for a device that is off. */
export const TTL_SECONDS = DAY / SECOND

export const messagePush = (subscription: SubscriptionRow, message: DeviceMessage): Push => ({
  subscription,
  text: JSON.stringify({
    type: 'message',
    conversationId: message.conversationId,
    messageId: message.id,
    messageType: message.type,
    senderId: message.senderId,
    senderName: excerptOf(message.senderName),
    title: excerptOf(message.group ?? message.senderName),
    body: excerptOf(message.text),
  }),
  urgency: message.group === null || message.mentions.includes(subscription.userId) ? 'high' : 'normal',
  about: `conversation ${message.conversationId}`,
})

export const notificationPush = (
  subscription: SubscriptionRow,
  id: number,
  { type, title, body }: NotificationCreated,
): Push => ({
  subscription,
  text: JSON.stringify({
    type: 'notification',
    notificationId: id,
    notificationType: type,
    title: excerptOf(title[subscription.locale]),
    body: excerptOf(body[subscription.locale]),
  }),
  urgency: 'normal',
  about: `notification ${id}`,
})
