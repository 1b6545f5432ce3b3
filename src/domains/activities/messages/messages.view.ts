import type { MessageCounts } from '#db/schema/activity-messages.ts'
import type { Db, Tx } from '#db/store.ts'
import type { Locale } from '#lib/localized.ts'
import { textToHtml } from '#lib/text.ts'

import type { MessageView } from './messages.model.ts'
import { subjectOf } from './messages.rules.ts'
import type { MessageRow } from './messages.store.ts'
import { countRecipients } from './recipients.store.ts'

const NONE: MessageCounts = { recipients: 0, app: { sent: 0 }, email: { queued: 0, sent: 0, failed: 0, skipped: 0 } }

/** The numbers of messages that run, from their recipients. */
export async function countsOf(db: Db | Tx, rows: readonly MessageRow[]): Promise<ReadonlyMap<number, MessageCounts>> {
  const running = rows.filter(({ state, counts }) => counts === null && state !== 'SCHEDULED')
  const counted = await countRecipients(
    db,
    running.map(({ id }) => id),
  )
  return new Map(
    running.map(({ id, channels }) => {
      const number = (channel: string, state?: string): number =>
        counted
          .filter((row) => row.messageId === id && row.channel === channel && (state ?? row.state) === row.state)
          .reduce((sum, { n }) => sum + n, 0)
      const email = (state: string) => number('EMAIL', state)
      return [
        id,
        {
          // Guests have no app.
          recipients: channels.includes('EMAIL') ? number('EMAIL') : number(channels[0]!),
          app: { sent: number('APP', 'SENT') },
          email: {
            queued: email('QUEUED'),
            sent: email('SENT'),
            failed: email('FAILED'),
            skipped: email('SKIPPED'),
          },
        },
      ]
    }),
  )
}

export async function toViews(db: Db, rows: readonly MessageRow[], locale: Locale): Promise<MessageView[]> {
  const running = await countsOf(db, rows)
  return rows.map((row) => toView(row, locale, row.counts ?? running.get(row.id)))
}

/** `counts`: by default those before a message begins. */
export function toView(
  row: MessageRow,
  locale: Locale,
  { recipients, app, email }: MessageCounts = { ...NONE, recipients: row.expected },
): MessageView {
  return {
    id: row.id,
    kind: row.kind,
    changes: row.changes.map(({ field, before, after }) => ({ field, before, after })),
    subject: subjectOf(row.kind, row.subject)[locale],
    body: row.body,
    // Notices have plain text.
    bodyHtml: row.kind === 'MESSAGE' || row.body === '' ? row.bodyHtml : textToHtml(row.body),
    filter: row.filter && { ...row.filter },
    channels: [...row.channels],
    state: row.state,
    recipients,
    app: { sent: app.sent },
    email: { queued: email.queued, sent: email.sent, failed: email.failed, skipped: email.skipped },
    createdBy: row.createdBy,
    sendAt: row.sendAt,
    createdAt: row.createdAt,
    finishedAt: row.finishedAt,
  }
}
