/** The certificate that this process uses, and answers to challenges. Rows are the truth: any process may have ordered it. */

import { type AppContext, perContext } from '#context'
import type { Db, Tx } from '#db/store.ts'
import { limited, notFound } from '#http/errors.ts'
import { TOKEN } from '#platform/acme/request.ts'
import { topic } from '#platform/bus.ts'
import type { Certificate } from '#platform/certificate.ts'
import { SECOND } from '#platform/clock.ts'

import { covers, targetOf } from './certificates.rules.ts'
import {
  type CertificateRow,
  findAnswer,
  findBlocked,
  findCertificates,
  findOrder,
  lastAttemptAt,
  type OrderRow,
} from './certificates.store.ts'

/** There is a new certificate, or another reason why there is none. */
export const certificatesChanged = topic<Record<string, never>>('certificates.changed')

export interface Found {
  readonly row: CertificateRow
  readonly certificate: Certificate
}

/** Whether this server gets its certificate from an authority by itself. */
export const getsCertificate = ({ config }: AppContext): boolean => config.domain.length > 0

/** As of the last look. */
export const present = perContext(() => ({
  found: undefined as Found | undefined,
  order: undefined as OrderRow | undefined,
  changed: () => undefined as void,
}))

/** Undefined if it has ended. The server goes on with one that ends while it runs. */
export function certificateToUse(ctx: AppContext): Certificate | undefined {
  const certificate = present(ctx).found?.certificate
  return certificate && certificate.notAfter > ctx.clock.now() ? certificate : undefined
}

/** Reads what other processes, or this one before a restart, have stored. */
export async function look(ctx: AppContext): Promise<void> {
  const state = present(ctx)
  const isOn = getsCertificate(ctx)
  const rows = isOn ? await findCertificates(ctx.db.read) : []
  state.order = isOn ? await findOrder(ctx.db.read, targetOf(ctx.config)) : undefined
  state.found = choose(ctx, rows)
  if (isOn) state.changed()
}

/** The newest for all names; while there is none, for example because a name was added, the newest for the public one. */
export function choose(ctx: AppContext, rows: readonly CertificateRow[]): Found | undefined {
  const { domain, publicUrl } = ctx.config
  const isFor = (wanted: readonly string[]) => rows.filter(({ names }) => covers(names, wanted))
  for (const row of [...isFor(domain), ...isFor([new URL(publicUrl).hostname])]) {
    // Sealed with the key of another server: it is ordered again.
    const key = ctx.seal.open(row.key)
    if (key === undefined) continue
    const { chain: cert, notBefore, notAfter } = row
    return { row, certificate: { cert, key, notBefore, notAfter } }
  }
  return undefined
}

/** The certificate for the present names, or for the public one, and the way to the next, as of now. */
export async function certificateOrders(ctx: AppContext, db: Db | Tx = ctx.db.read) {
  const newest = choose(ctx, await findCertificates(db))?.row
  const order = await findOrder(db, targetOf(ctx.config))
  const attemptAt = (order && lastAttemptAt(order)) ?? newest?.createdAt ?? null
  return { newest, order, attemptAt }
}

/** @throws AppError 429 if the authority would refuse to validate one of the names */
export async function checkPause(ctx: AppContext, tx: Tx): Promise<void> {
  const now = ctx.clock.now()
  const blocked = await findBlocked(tx, ctx.config.domain, now)
  if (blocked === undefined) return
  const at = new Date(blocked.until).toISOString().slice(11, 16)
  throw limited(
    `The authority could not validate ${blocked.name} five times within an hour, and would refuse more: try again at ${at} UTC`,
    `证书颁发机构一小时内已五次未能验证 ${blocked.name}，会拒绝更多请求：请在 UTC ${at} 后重试`,
    Math.ceil((blocked.until - now) / SECOND),
  )
}

/** @throws AppError 404 */
export async function answerChallenge(ctx: AppContext, token: string): Promise<Response> {
  const answer = TOKEN.test(token) ? await findAnswer(ctx.db.read, token) : undefined
  if (answer === undefined) throw notFound()
  return new Response(answer, {
    headers: { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' },
  })
}
