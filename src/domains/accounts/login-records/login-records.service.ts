/** Records what happens to an account, notifies its user of changes, and lists the records. */

import type { AppContext } from '#context'
import type { Page } from '#db/paging.ts'
import type { Db, Tx } from '#db/store.ts'
import { can } from '#domains/access/index.ts'
import { adminPage, usersByIds } from '#domains/admin/index.ts'
import { cityOf, type NoticeData, type NoticeKind, sendNotice } from '#domains/delivery/index.ts'
import { notify } from '#domains/notifications/index.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { forbidden } from '#http/errors.ts'
import { siteOf } from '#http/site.ts'
import { ipNetworks } from '#lib/ip.ts'
import type { Locale, Localized } from '#lib/localized.ts'
import { HOUR } from '#platform/clock.ts'

import { ANONYMOUS_USER_ID } from '../accounts.model.ts'
import { consoleRefusal } from '../users/users.service.ts'
import { identitiesOf, type IdentityRow } from '../users/users.store.ts'
import type {
  AdminLoginRecordView,
  AdminRecordsQuery,
  LoginEvent,
  LoginRecordView,
  LoginType,
  NewLoginRecord,
} from './login-records.model.ts'
import { cleanDeviceName, deviceKey, ownEvent } from './login-records.rules.ts'
import {
  allRecords,
  insertRecord,
  type LoginRecordRow,
  pageOfRecords,
  type RecordFilter,
} from './login-records.store.ts'

/**
 * Inside a write. `userId` is `ANONYMOUS_USER_ID` if there is no such account: the write costs the same as for a wrong password,
 * and administrators see the attempt. `failureReason`: given if the event failed.
 */
export async function recordLogin(
  ctx: AppContext,
  tx: Tx,
  userId: number,
  event: LoginEvent,
  failureReason?: string,
): Promise<void> {
  await insertRecord(tx, {
    userId,
    loginType: event.loginType,
    status: failureReason === undefined ? 'success' : 'failed',
    failureReason: failureReason ?? null,
    isReported: false,
    network: userId === ANONYMOUS_USER_ID ? ipNetworks(event.ip).at(-1)! : '',
    deviceKey: event.device.key,
    deviceName: event.device.name,
    ipAddress: event.ip,
    city: cityOf(ctx, event.ip),
    createdAt: ctx.clock.now(),
  })
}

interface Notice<K extends ShownKind> {
  readonly kind: K
  /** The facts of this kind, besides time and place. */
  readonly about: Omit<NoticeData[K], 'at' | 'device' | 'ip' | 'city'>
  /** Plain text that the notification in the app begins with. */
  readonly line?: Localized
  /** Further data for the app to act on. */
  readonly data?: Readonly<Record<string, unknown>>
}

/**
 * Inside a write: notifies a user of a change to their account, in the app and by e-mail, so that they notice changes they did not
 * make.
 */
export async function notifyAccountHolder<K extends ShownKind>(
  ctx: AppContext,
  tx: Tx,
  userId: number,
  event: LoginEvent,
  notice: Notice<K>,
): Promise<void> {
  const { kind, about } = notice
  const { ip, locale } = event
  const device = event.device.name
  const city = cityOf(ctx, ip)
  await notify(ctx, tx, {
    userIds: [userId],
    type: kind === 'ACCOUNT_LINKED' ? 'ACCOUNT_LINK' : 'SYSTEM',
    title: TITLES[kind],
    body: bodyOf([city, ip], notice.line),
    data: { event: kind, device, ip, city, ...notice.data },
  })
  const at = ctx.clock.now()
  // `about` and the place together are the data of the kind; TypeScript cannot add them up for a generic K.
  const data = { at, device, ip, city, ...about } as unknown as NoticeData[K]
  for (const to of provedEmails(await identitiesOf(tx, userId))) await sendNotice(ctx, tx, { to, kind, locale, data })
}

/** The e-mail addresses to which notices are sent. Mail to a claimed address may reach another person, so it contains codes only. */
export const provedEmails = (identities: readonly IdentityRow[]): string[] =>
  identities.filter((i) => i.provider === 'EMAIL' && i.verified).map((i) => i.credential)

export const provedEmailsOf = async (db: Db | Tx, userId: number): Promise<string[]> =>
  provedEmails(await identitiesOf(db, userId))

/** The kinds about the account that users see in the app: `MORE_EVENTS` is only about mails. */
type ShownKind = Exclude<NoticeKind, 'MORE_EVENTS' | 'FOUND' | 'DATA_EXPORTED_BY_ADMINISTRATOR'>

const TITLES: Readonly<Record<ShownKind, Localized>> = {
  PASSWORD_SET: { en: 'A password was set', zh: '你的账号已设置密码' },
  PASSWORD_CHANGED: { en: 'Your password was changed', zh: '你的密码已修改' },
  USERNAME_CHANGED: { en: 'Your username was set', zh: '你的用户名已设置' },
  IDENTITY_BOUND: { en: 'A way to sign in was added', zh: '你的账号新增了登录方式' },
  IDENTITY_UNBOUND: { en: 'A way to sign in was removed', zh: '你的账号移除了登录方式' },
  TOTP_ENABLED: { en: 'Two-factor sign-in is on', zh: '你的账号已启用两步验证' },
  TOTP_DISABLED: { en: 'Two-factor sign-in is off', zh: '你的账号已关闭两步验证' },
  RECOVERY_CODES_REPLACED: { en: 'Your recovery codes were replaced', zh: '你的恢复码已更换' },
  RECOVERY_CODE_USED: { en: 'A recovery code was used', zh: '你的恢复码已被使用' },
  TOTP_GUESSED: { en: 'Someone is guessing your two-factor codes', zh: '有人在猜测你的两步验证码' },
  PASSKEY_ADDED: { en: 'A passkey was added', zh: '你的账号新增了通行密钥' },
  PASSKEY_RENAMED: { en: 'A passkey was renamed', zh: '你的通行密钥已重命名' },
  PASSKEY_REMOVED: { en: 'A passkey was removed', zh: '你的账号移除了通行密钥' },
  PASSKEY_SUSPECT: { en: 'A passkey may have been copied', zh: '你的通行密钥可能已被复制' },
  PASSKEYS_REQUIRED: { en: 'Your passkeys are a second factor now', zh: '通行密钥已成为你的第二重验证' },
  PASSKEYS_OPTIONAL: { en: 'Your passkeys are no longer required', zh: '登录不再要求通行密钥' },
  TRUST_ENDED: { en: 'Devices are no longer trusted', zh: '设备信任已撤销' },
  EMAIL_RESTORED: { en: 'Your e-mail was bound again', zh: '你的邮箱已恢复绑定' },
  NEW_DEVICE: { en: 'Sign-in on a new device', zh: '你的账号在新设备上登录' },
  ACCOUNT_LINKED: { en: 'Another account was linked to yours', zh: '有账号与你的账号关联' },
  ACCOUNT_UNLINKED: { en: 'An account link was removed', zh: '账号关联已解除' },
  API_KEY_CREATED: { en: 'An API key was made', zh: '你的账号新建了 API 密钥' },
  API_KEY_REVOKED: { en: 'An API key was ended', zh: '你的 API 密钥已被终止' },
  API_KEY_EXPIRING: { en: 'An API key will expire', zh: '你的 API 密钥即将到期' },
  ACCOUNT_DELETED: { en: 'Your account was deleted', zh: '你的账号已注销' },
  DATA_EXPORTED: { en: 'Your data is being exported', zh: '你的数据正在导出' },
}

const ADVICE: Localized = {
  en: 'If this was not you, change your password and look at your devices.',
  zh: '如非本人操作，请立即修改密码并检查登录设备。',
}

/**
 * Says what happened, where from, and what to do. The device's name is left out: the person who signs in chooses it, and a name
 * that looks like a link would become one. The app finds it in the notification's `data`.
 */
export function bodyOf(place: readonly string[], line: Localized | undefined): Localized {
  const from = place.filter((part) => part !== '')
  const write = (locale: Locale, where: string, comma: string) =>
    [line?.[locale] ?? '', from.length === 0 ? '' : where + from.join(comma), ADVICE[locale]]
      .filter((part) => part !== '')
      .join('\n\n')
  return { en: write('en', 'From: ', ', '), zh: write('zh', '位置：', '，') }
}

/** Inside a write: records that a user exports their data, and notifies them. */
export async function recordExport(ctx: AppContext, tx: Tx, actor: Actor, caller: Caller): Promise<void> {
  const event = ownEvent('data_export', actor, caller)
  await recordLogin(ctx, tx, actor.userId, event)
  await notifyAccountHolder(ctx, tx, actor.userId, event, { kind: 'DATA_EXPORTED', about: {} })
}

/** Inside a write: notifies a user that an administrator exports the data of the account. Nothing names the address of the administrator. */
export async function tellOfExport(ctx: AppContext, tx: Tx, userId: number): Promise<void> {
  const { locale } = siteOf(ctx)
  const device = { key: '', name: 'administrator' }
  await recordLogin(ctx, tx, userId, { loginType: 'data_export', device, ip: '', locale })
  await notify(ctx, tx, { userIds: [userId], type: 'SYSTEM', ...EXPORTED, data: { event: 'DATA_EXPORTED' } })
  const notice = { kind: 'DATA_EXPORTED_BY_ADMINISTRATOR', locale, data: { at: ctx.clock.now() } } as const
  for (const to of await provedEmailsOf(tx, userId)) await sendNotice(ctx, tx, { to, ...notice })
}

const EXPORTED = {
  title: { en: 'An administrator exports the data of your account', zh: '管理员正在导出你的账号数据' },
  body: {
    en: 'The export has no messages, files, scan records and contacts, only their numbers.',
    zh: '导出内容不含消息、文件、扫码记录和联系人，仅含其数量。',
  },
} as const

/** Records an event that a client reports. Address and time are the server's. */
export async function reportLogin(
  ctx: AppContext,
  actor: Actor,
  event: NewLoginRecord,
  caller: Caller,
): Promise<LoginRecordView> {
  const row = await ctx.db.write('accounts.reportLogin', (tx) =>
    insertRecord(tx, {
      userId: actor.userId,
      loginType: event.loginType,
      status: event.status ?? 'success',
      failureReason: event.failureReason ?? null,
      isReported: true,
      deviceKey: event.deviceId ? deviceKey(event.deviceId) : actor.deviceKey,
      deviceName: cleanDeviceName(event.deviceName || caller.deviceName),
      ipAddress: caller.ip,
      city: event.city ?? '',
      createdAt: ctx.clock.now(),
    }),
  )
  return toView(row)
}

const toView = (r: LoginRecordRow): LoginRecordView => ({
  id: r.id,
  userId: r.userId === ANONYMOUS_USER_ID ? null : r.userId,
  deviceId: r.deviceKey,
  deviceName: r.deviceName,
  ipAddress: r.ipAddress,
  city: r.city,
  // Only `LoginType`s are ever written.
  loginType: r.loginType as LoginType,
  status: r.status,
  failureReason: r.failureReason,
  reportedByClient: r.isReported,
  createdAt: r.createdAt,
})

interface Paging {
  page: number
  size: number
}

async function list(ctx: AppContext, filter: RecordFilter, { page, size }: Paging) {
  const { items, total } = await pageOfRecords(ctx.db.read, filter, page, size)
  return { items: items.map(toView), total, page, size }
}

const since = (ctx: AppContext, hours: number): number => ctx.clock.now() - hours * HOUR

/** Users may read their own records; those of others need the PLATFORM point `login_record:read`. */
async function checkMayRead(ctx: AppContext, actor: Actor, userId: number): Promise<void> {
  if (userId === actor.userId) return
  if (!(await can(ctx, actor.userId, 'PLATFORM', 0, 'login_record:read')))
    throw forbidden('You may only see your own login records', '只能查看自己的登录记录')
  const refused = await consoleRefusal(ctx, actor.userId)
  if (refused) throw refused
}

export async function listRecords(ctx: AppContext, actor: Actor, userId: number, paging: Paging) {
  await checkMayRead(ctx, actor, userId)
  return list(ctx, { userId }, paging)
}

export async function listRecentRecords(ctx: AppContext, actor: Actor, userId: number, q: Paging & { hours: number }) {
  await checkMayRead(ctx, actor, userId)
  return list(ctx, { userId, since: since(ctx, q.hours) }, q)
}

export const listOwnFailures = (ctx: AppContext, actor: Actor, paging: Paging) =>
  list(ctx, { userId: actor.userId, status: 'failed' }, paging)

/** For administrators: the records of all users. */
export async function listAllRecords(
  ctx: AppContext,
  { userId: adminId }: Actor,
  { hours, ...query }: AdminRecordsQuery,
): Promise<Page<AdminLoginRecordView>> {
  const from = Math.max(query.from ?? 0, hours === undefined ? 0 : since(ctx, hours))
  const list = allRecords({ ...query, ...(from > 0 && { from }) })
  const { items, ...page } = await adminPage(ctx, adminId, list, query)
  const people = await usersByIds(ctx.db.read, [...new Set(items.map((row) => row.userId))])
  const personOf = new Map(people.map((person) => [person.id, person]))
  return {
    ...page,
    items: items.map((row) => {
      const person = personOf.get(row.userId)
      return { ...toView(row), username: person?.username ?? null, nickname: person?.nickname ?? null }
    }),
  }
}
