/** Notifies the owner of a thing of a message of a finder. */

import type { AppContext } from '#context'
import { spend } from '#db/counters.ts'
import { orgOf } from '#db/owner-key.ts'
import type { Tx } from '#db/store.ts'
import { usersHoldingPoint } from '#domains/access/index.ts'
import { provedEmailsOf } from '#domains/accounts/index.ts'
import { sendLastNotice } from '#domains/delivery/index.ts'
import { notify, unreadOnSubject } from '#domains/notifications/index.ts'
import type { Locale } from '#lib/localized.ts'
import { DAY } from '#platform/clock.ts'

import type { ReportRow } from './reports/reports.store.ts'
import { thingsOf } from './things.service.ts'

/** Members of an organization who are notified. */
const MAX_NOTIFIED = 20
/** To one user. It limits what strangers can cause, also on servers without limits of requests. */
const MAILS_A_DAY = 3

/**
 * In the app, by push and by mail. The finder's words are in neither: they could contain a link, which mail programs make clickable.
 * `locale`: of the mails.
 */
export async function notifyOwner(ctx: AppContext, tx: Tx, report: ReportRow, locale: Locale): Promise<void> {
  const { id, owner, kind, targetId, title } = report
  const orgId = orgOf(owner)
  const userIds = orgId === 0 ? [-owner] : await usersHoldingPoint(tx, orgId, thingsOf(ctx, kind).update, MAX_NOTIFIED)
  const subject = `FOUND ${id}`
  // One that was read gives way to a new one, so that the user learns of each message.
  for (const userId of userIds) await unreadOnSubject(tx, userId, subject)
  await notify(ctx, tx, {
    userIds,
    type: kind === 'ASSET' ? 'ASSET' : 'SYSTEM',
    title: { en: 'A finder wrote to you', zh: '捡到物品的人给你留言' },
    body: {
      en: `Someone wrote about ${title}. Read and answer the message under “Found”.`,
      zh: `有人就“${title}”给你留言，请在“拾获留言”中查看并回复。`,
    },
    data: {
      ...(kind === 'ASSET' ? { assetId: targetId } : { qrCodeId: targetId }),
      orgId: orgId || null,
      foundReportId: id,
      event: 'FOUND',
    },
    subject,
    isMailed: true,
  })
  for (const userId of userIds) await mail(ctx, tx, userId, report, locale)
}

async function mail(ctx: AppContext, tx: Tx, userId: number, { id, title }: ReportRow, locale: Locale): Promise<void> {
  const [to] = await provedEmailsOf(tx, userId)
  if (to === undefined) return
  const at = ctx.clock.now()
  const use = { key: `found:mails:${userId}`, limit: MAILS_A_DAY, windowMs: DAY }
  if ((await spend(tx, [use], at)) !== undefined) return
  await sendLastNotice(ctx, tx, { to, kind: 'FOUND', locale, data: { at, title, path: `/console/found/${id}` } })
}
