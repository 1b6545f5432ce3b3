import type { AppContext } from '#context'
import { inSlices } from '#db/slices.ts'
import { mailContacts, notifyAccountHolder } from '#domains/accounts/index.ts'
import type { Job } from '#domains/domain.ts'
import { siteOf } from '#http/site.ts'
import { DAY, HOUR } from '#platform/clock.ts'

import { KEPT_DAYS, TOLD_DAYS } from './api-keys.model.ts'
import { noticeAbout } from './api-keys.service.ts'
import { deleteEndedKeys, markTold, untoldKeys } from './api-keys.store.ts'

/** Owners notified by one run. Each takes a write. */
const PER_RUN = 500

/** Notifies owners that a key will expire, once for each key. */
async function tellOwners(ctx: AppContext): Promise<void> {
  const now = ctx.clock.now()
  const keys = await untoldKeys(ctx.db.read, now, now + TOLD_DAYS * DAY, PER_RUN)
  const contacts = await mailContacts(ctx.db.read, [...new Set(keys.map((key) => key.userId))])
  for (const key of keys) {
    if (ctx.lifecycle.draining) return
    const locale = contacts.get(key.userId)?.locale ?? siteOf(ctx).locale
    const event = { loginType: 'api_key_revoke', device: { key: '', name: '' }, ip: '', locale } as const
    await ctx.db.write('apiKeys.tellOwner', async (tx) => {
      if (await markTold(tx, key.id, now))
        await notifyAccountHolder(ctx, tx, key.userId, event, noticeAbout('API_KEY_EXPIRING', key))
    })
  }
}

export const jobs: readonly Job[] = [
  { name: 'apiKeys.tellOwners', every: HOUR, run: tellOwners },
  {
    name: 'apiKeys.deleteEnded',
    every: 6 * HOUR,
    run: (ctx) =>
      inSlices(ctx, 'apiKeys.deleteEnded', (tx, limit) =>
        deleteEndedKeys(tx, ctx.clock.now() - KEPT_DAYS * DAY, limit),
      ),
  },
]
