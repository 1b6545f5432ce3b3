/** Common to the parts of the server: the version of their values, where each value comes from, and notices of changes. */

import type { TSchema } from '@sinclair/typebox'

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { isSystemAdmin, platformBindings, SYSTEM_ADMIN, systemAdminOnly } from '#domains/access/index.ts'
import { requireConfirmation } from '#domains/accounts/index.ts'
import { notify } from '#domains/notifications/index.ts'
import { readServerValues } from '#domains/settings/index.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import type { FieldProblem } from '#http/errors.ts'
import type { VersionedRow } from '#http/preconditions.ts'
import type { Localized } from '#lib/localized.ts'

import type { Source } from './server.model.ts'

/** For `If-Match`: all server values have one version. */
export const serverVersionRow = <I extends { readonly ctx: AppContext; readonly caller: Caller }>(
  view: TSchema,
  show: (input: I) => Promise<unknown>,
): VersionedRow<I> => ({
  version: async (db) => (await readServerValues(db)).version,
  view,
  show,
})

/** `origin` as config/read.ts writes it: `--port`, `TESSERA_PORT`, `port in tessera.toml`. */
const sourceOfOrigin = (origin: string): Source =>
  origin.startsWith('--') ? 'FLAG' : origin.startsWith('TESSERA_') ? 'ENVIRONMENT' : 'FILE'

/** Where a start value was given; undefined if it was not. */
export function givenAtStart(
  ctx: AppContext,
  key: string,
): { readonly source: Source; readonly name: string } | undefined {
  const name = ctx.origins.get(key)
  return name === undefined ? undefined : { source: sourceOfOrigin(name), name }
}

export const lockedField = (path: string, name: string): FieldProblem => ({
  path,
  text: { en: `is set by ${name}, and can only be changed there`, zh: `由 ${name} 设定，只能在该处更改` },
})

/** @throws AppError 403, with code 4031 if the caller has not confirmed lately that they own the account */
export async function requireOwner(ctx: AppContext, actor: Actor): Promise<void> {
  if (!(await isSystemAdmin(ctx.db.read, actor))) throw systemAdminOnly()
  await requireConfirmation(ctx, actor)
}

/** For operations that call `requireOwner`. */
export const OWNER_REFUSAL =
  'You are not SYSTEM_ADMIN, or have not confirmed within 10 minutes that you own the account (code 4031).'

const BODIES: Readonly<Record<'CERTIFICATE' | 'MAIL' | 'REACH' | 'RESTART', Localized>> = {
  CERTIFICATE: {
    en: 'Another administrator renewed the certificate of the server. The operation log says who.',
    zh: '另一位管理员续期了服务器证书，操作日志中有记录。',
  },
  REACH: {
    en: 'Another administrator changed the address of the server. The operation log says who.',
    zh: '另一位管理员更改了服务器地址，操作日志中有记录。',
  },
  RESTART: {
    en: 'Another administrator restarted the server. The operation log says who.',
    zh: '另一位管理员重启了服务器，操作日志中有记录。',
  },
  MAIL: {
    en: 'Another administrator changed the mail server. The operation log says who. If nobody should have done that, check it at once: mails contain codes that reset passwords.',
    zh: '另一位管理员更改了邮件服务器，操作日志中有记录。如非预期更改，请立即检查：邮件中包含可重置密码的验证码。',
  },
}

/** Notifies the other administrators of a change with which somebody could take accounts over. */
export async function tellOthers(ctx: AppContext, tx: Tx, actor: Actor, what: keyof typeof BODIES): Promise<void> {
  const holders = (await platformBindings(tx)).filter(({ code }) => code === SYSTEM_ADMIN)
  await notify(ctx, tx, {
    userIds: holders.flatMap(({ userId }) => (userId === actor.userId ? [] : [userId])),
    type: 'SYSTEM',
    title: { en: 'The server was changed', zh: '服务器设置已更改' },
    body: BODIES[what],
    subject: `SERVER ${what}`,
  })
}
