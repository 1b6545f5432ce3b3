/** Switches webhooks off whose receivers do not keep up. */

import type { AppContext } from '#context'
import { orgOf } from '#db/owner-key.ts'
import type { DisabledReason } from '#db/schema/webhooks.ts'
import type { Tx } from '#db/store.ts'
import { notify } from '#domains/notifications/index.ts'
import type { Localized } from '#lib/localized.ts'
import { topic } from '#platform/bus.ts'

import { MAX_PENDING } from './webhooks.model.ts'
import { changeWebhook, userExists, type WebhookRow } from './webhooks.store.ts'

/** The owners whose webhooks have changed. */
export const webhooksChanged = topic<readonly number[]>('webhooks.changed')

const TEXTS: Readonly<Record<Exclude<DisabledReason, 'OWNER'>, Localized>> = {
  GONE: {
    en: 'Its receiver answers that it no longer exists (410).',
    zh: '接收方返回 410，表示该地址已不再使用。',
  },
  FAILING: {
    en: 'Its receiver has taken no delivery for three days.',
    zh: '接收方已连续三天未成功接收任何推送。',
  },
  QUEUE_FULL: {
    en: `More than ${MAX_PENDING} deliveries wait for its receiver. They are sent when you switch it on again.`,
    zh: `等待发送的推送超过 ${MAX_PENDING} 条。重新启用后会继续发送。`,
  },
}

/** Switches a webhook off, and notifies the user who made it. */
export async function switchOff(
  ctx: AppContext,
  tx: Tx,
  webhook: Pick<WebhookRow, 'id' | 'owner' | 'userId' | 'name'>,
  reason: Exclude<DisabledReason, 'OWNER'>,
): Promise<void> {
  await changeWebhook(tx, webhook, { enabled: false, disabledReason: reason, dueAt: null, updatedAt: tx.stamp })
  tx.publish(webhooksChanged, [webhook.owner])
  if (!(await userExists(tx, webhook.userId))) return
  const { en, zh } = TEXTS[reason]
  await notify(ctx, tx, {
    userIds: [webhook.userId],
    type: 'SYSTEM',
    title: { en: 'A webhook was switched off', zh: 'Webhook 已停用' },
    body: { en: `“${webhook.name}”: ${en}`, zh: `“${webhook.name}”：${zh}` },
    data: { webhookId: webhook.id, orgId: orgOf(webhook.owner) || null, event: 'WEBHOOK_DISABLED', reason },
    subject: `WEBHOOK ${webhook.id}`,
  })
}
