/** A message as its readers get it, shown while it is written. */

import type { AppContext } from '#context'
import type { Locale } from '#lib/localized.ts'

import { eventMails } from '../event-mails/event-mails.service.ts'
import { passUrl } from '../links/links.view.ts'
import { type Asking, manageActivity } from '../visibility/visibility.service.ts'
import type { MessagePreview, PreviewMessage } from './messages.model.ts'

/** Nobody has this address: the link in the preview that stops mails stops none. */
const READER = 'reader@example.invalid'

export async function previewMessage(
  ctx: AppContext,
  id: number,
  { subject, body, attachPass }: PreviewMessage,
  asking: Asking,
): Promise<MessagePreview> {
  const activity = await manageActivity(ctx, id, 'activity:update', asking)
  const mailTo = await eventMails(ctx, activity, { kind: 'MESSAGE', subject, body })
  const pass = attachPass ? { passUrl: passUrl(ctx, { uuid: 'example' }) } : {}
  const mailIn = (locale: Locale) => {
    const mail = mailTo({ address: READER, locale, ...pass })
    return { subject: mail.subject, html: contentOf(mail.html) }
  }
  return { en: mailIn('en'), zh: mailIn('zh') }
}

/** The body of the page that a mail is, without its styles, which the content security policy of the web application refuses. */
const contentOf = (page: string): string =>
  page.replace(/^[^]*<body[^>]*>|<\/body>[^]*$/g, '').replaceAll(/ style="[^"]*"/g, '')
