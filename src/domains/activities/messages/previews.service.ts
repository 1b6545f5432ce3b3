/** A message as its readers get it, shown or mailed to its author while it is written. */

import type { AppContext } from '#context'
import { spend } from '#db/counters.ts'
import type { ComposeMail } from '#domains/contributions.ts'
import { hasMailServer, sendComposed } from '#domains/delivery/index.ts'
import { mailTargetsOf } from '#domains/notifications/index.ts'
import { badRequest, limited } from '#http/errors.ts'
import type { Locale } from '#lib/localized.ts'
import { HOUR, SECOND } from '#platform/clock.ts'

import { findActivity } from '../activities.store.ts'
import { eventMails } from '../event-mails/event-mails.service.ts'
import { passUrl } from '../links/links.view.ts'
import { type Asking, manageActivity, refuseIfDisabled } from '../visibility/visibility.service.ts'
import type { MessagePreview, PreviewMessage } from './messages.model.ts'

/** Nobody has this address: the link in the preview that stops mails stops none. */
const READER = 'reader@example.invalid'

export async function previewMessage(
  ctx: AppContext,
  id: number,
  { subject, body, attachPass, test }: PreviewMessage,
  asking: Asking,
  locale: Locale,
): Promise<MessagePreview> {
  const activity = await manageActivity(ctx, id, 'activity:update', asking)
  if (test === true) refuseIfDisabled(activity)
  const mailTo = await eventMails(ctx, activity, { kind: 'MESSAGE', subject, body })
  const mailIn = (locale: Locale) => {
    const mail = mailTo({ address: READER, locale, ...(attachPass && examplePass(ctx)) })
    return { subject: mail.subject, html: contentOf(mail.html) }
  }
  const data: TestData = { activityId: id, subject, body, locale, attachPass: attachPass === true }
  const sentTo = test === true ? await sendTest(ctx, asking.viewer.userId, data) : null
  return { en: mailIn('en'), zh: mailIn('zh'), sentTo }
}

/** The link of no pass. */
const examplePass = (ctx: AppContext) => ({ passUrl: passUrl(ctx, { uuid: 'example' }) })

/** The body of the page that a mail is, without its styles, which the content security policy of the web application refuses. */
const contentOf = (page: string): string =>
  page.replace(/^[^]*<body[^>]*>|<\/body>[^]*$/g, '').replaceAll(/ style="[^"]*"/g, '')

interface TestData extends Pick<PreviewMessage, 'subject' | 'body'> {
  readonly activityId: number
  readonly locale: Locale
  readonly attachPass: boolean
}

const TESTS_AN_HOUR = 10

/** Returns the proved address of the user. @throws AppError 400 without one or without a mail server, 429 */
async function sendTest(ctx: AppContext, userId: number, data: TestData): Promise<string> {
  if (!hasMailServer(ctx)) throw noMailServer()
  const to = (await mailTargetsOf(ctx, ctx.db.read, [userId])).get(userId)?.address
  if (to == null) throw noAddress()
  const use = { key: `activities:test-mails:${userId}`, limit: TESTS_AN_HOUR, windowMs: HOUR }
  await ctx.db.write('activityMessages.test', async (tx) => {
    const refusal = await spend(tx, [use], ctx.clock.now())
    if (refusal !== undefined) throw tooManyTests(secondsOf(refusal.refusedFor))
    await sendComposed(ctx, tx, [{ to, kind: 'ACTIVITY_TEST', data: { ...data } }])
  })
  return to
}

const secondsOf = (ms: number): number => Math.max(Math.ceil(ms / SECOND), 1)
const tooManyTests = (seconds: number) =>
  limited(
    `You can send yourself ${TESTS_AN_HOUR} test mails an hour`,
    `每小时最多发送 ${TESTS_AN_HOUR} 封测试邮件`,
    seconds,
  )
const noMailServer = () => badRequest('This server sends no mails', '本服务器未配置邮件服务')
const noAddress = () =>
  badRequest('Add an e-mail address to your account and confirm it first', '请先在账号中添加并验证邮箱')

export const composeTestMail: ComposeMail = async (ctx, to, data) => {
  const { activityId, locale, attachPass, ...news } = data as unknown as TestData
  const activity = await findActivity(ctx.db.read, activityId)
  if (activity === undefined) return undefined
  const mailTo = await eventMails(ctx, activity, { kind: 'MESSAGE', ...news })
  return mailTo({ address: to, locale, ...(attachPass && examplePass(ctx)) })
}
