/** The mail server: shown, changed and tried in the browser. */

import { isDeepStrictEqual } from 'node:util'

import { parseMailbox } from '#config/gateways.ts'
import type { AppContext } from '#context'
import { lastDelivery, mailServerIn, mailServerOf, senderOf, trialLetter, wake } from '#domains/delivery/index.ts'
import { loadServerValues, type PartValue, readServerValues, setServerValue } from '#domains/settings/index.ts'
import type { Actor, LoggedActor } from '#http/endpoint.ts'
import type { FieldProblem } from '#http/errors.ts'
import { siteOf } from '#http/site.ts'
import { invalid, invalidAll } from '#http/validate.ts'
import type { Locale } from '#lib/localized.ts'
import { uuid } from '#platform/ids.ts'
import { tryMail } from '#platform/mail/trial.ts'

import { givenAtStart, lockedField, requireOwner, tellOthers } from '../server.service.ts'
import { adviceOf } from './advice.rules.ts'
import type { MailChange, MailTest, MailTestResult, MailView } from './mail.model.ts'
import { merged } from './mail.rules.ts'

type Stored = PartValue<'mail'>

const SECURITY = { implicit: 'TLS', required: 'STARTTLS', off: 'NONE' } as const
const FIELDS = ['kind', 'host', 'port', 'security', 'user', 'password', 'from', 'replyTo', 'caPem'] as const

/** The values in force, without the password. */
function inForce(ctx: AppContext, stored: Stored | undefined) {
  if (ctx.config.smtpUrl === '') {
    const { password, ...shown } = stored ?? { ...NOTHING, password: '' }
    const kind = stored === undefined ? ('NONE' as const) : ('SMTP' as const)
    return { kind, ...shown, user: shown.user || null, hasPassword: password !== '' }
  }
  const { server } = mailServerOf(ctx)!
  return {
    kind: 'SMTP' as const,
    host: server.host,
    port: server.port,
    security: SECURITY[server.tls],
    user: server.user || null,
    hasPassword: server.password !== '',
    from: ctx.config.mailFrom,
    replyTo: null,
    caPem: null,
  }
}

const NOTHING = { host: null, port: null, security: null, user: null, from: null, replyTo: null, caPem: null }

export function mailView(ctx: AppContext, stored: Stored | undefined, version: number): MailView {
  const started = givenAtStart(ctx, 'smtpUrl')
  const source = started?.source ?? (stored === undefined ? 'DEFAULT' : 'DATABASE')
  return {
    version,
    ...inForce(ctx, stored),
    status: lastDelivery(ctx),
    sources: Object.fromEntries(FIELDS.map((field) => [field, source])),
  }
}

export async function showMail(ctx: AppContext): Promise<MailView> {
  const { values, version } = await readServerValues(ctx.db.read)
  return mailView(ctx, values.mail, version)
}

/** Fields that would get another value than the one with which the server was started. */
function lockedFields(ctx: AppContext, change: MailChange): FieldProblem[] {
  if (ctx.config.smtpUrl === '') return []
  const now: Readonly<Record<string, unknown>> = inForce(ctx, undefined)
  const { name } = givenAtStart(ctx, 'smtpUrl') ?? { name: 'TESSERA_SMTP_URL' }
  return Object.entries(change).flatMap(([field, value]) =>
    field !== 'password' && value === now[field] ? [] : [lockedField(`body.${field}`, name)],
  )
}

const inBody = (problems: readonly FieldProblem[], prefix = 'body'): FieldProblem[] =>
  problems.map(({ path, text }) => ({ path: `${prefix}.${path}`, text }))

/** For the operation log. `isNew`: another password, which would look the same. */
function loggable(stored: Stored | undefined, isNew = false) {
  if (stored === undefined) return {}
  const { password, ...shown } = stored
  return { ...shown, signIn: password === '' ? null : isNew ? '*** (new)' : '***' }
}

/** @throws AppError 400 for bad values and those of the start, 403 (code 4031) without a recent confirmation */
export async function updateMail(ctx: AppContext, actor: LoggedActor, change: MailChange): Promise<MailView> {
  await requireOwner(ctx, actor)
  const locked = lockedFields(ctx, change)
  if (locked.length > 0) throw invalidAll(locked)
  await actor.write('server.mail', async (tx) => {
    // The change only repeats the values of the start, which are not stored.
    if (ctx.config.smtpUrl !== '') return { result: undefined, logged: 'unchanged' }
    const { values, ignored } = await readServerValues(tx)
    const { mail: before } = values
    const after = change.kind === 'NONE' ? undefined : changed(ctx, before, change)
    // A row that is not valid is replaced or deleted.
    if (isDeepStrictEqual(before, after) && !ignored.includes('server.mail'))
      return { result: undefined, logged: 'unchanged' }
    await setServerValue(tx, 'mail', after)
    await tellOthers(ctx, tx, actor, 'MAIL')
    const logged = { before: loggable(before), after: loggable(after, change.password !== undefined) }
    return { result: undefined, logged: { targetName: 'mail', ...logged } }
  })
  await loadServerValues(ctx)
  wake(ctx, 'EMAIL')
  return showMail(ctx)
}

function changed(ctx: AppContext, before: Stored | undefined, change: MailChange): Stored {
  const { value, problems } = merged(ctx.seal, before, change)
  if (problems.length > 0) throw invalidAll(inBody(problems))
  return value
}

/** @throws AppError 400, 403 (code 4031) */
export async function testMail(
  ctx: AppContext,
  actor: Actor,
  { to, mail }: MailTest,
  locale: Locale,
): Promise<MailTestResult> {
  await requireOwner(ctx, actor)
  if (parseMailbox(to)?.address !== to) throw invalid('body.to', 'must be an e-mail address', '须为邮箱地址')
  const server = await serverToTry(ctx, mail)
  if (server === undefined)
    throw invalid('body.mail', 'is required: no mail server is set up', '尚未设置邮件服务器，须提供此项')
  const letter = trialLetter(locale, senderOf(ctx))
  const steps = await tryMail({ ...server, mail: { id: uuid(), to, ...letter } })
  return {
    accepted: steps.some(({ step, ok }) => step === 'DATA' && ok),
    steps: steps.map((one) => ({ ...one, advice: adviceOf(one)?.[locale] ?? null })),
  }
}

async function serverToTry(ctx: AppContext, mail: MailChange | undefined) {
  if (mail === undefined || ctx.config.smtpUrl !== '') return mailServerOf(ctx)
  const { mail: stored } = (await readServerValues(ctx.db.read)).values
  // The stored password is for the stored server only: an administrator who tries another one must not learn it.
  const isOther = mail.host !== undefined && mail.host !== stored?.host
  const { value, problems } = merged(ctx.seal, isOther && stored ? { ...stored, password: '' } : stored, mail)
  if (problems.length > 0) throw invalidAll(inBody(problems, 'body.mail'))
  return mailServerIn(ctx.seal, value, siteOf(ctx).contact.email)
}
