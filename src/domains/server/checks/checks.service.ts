/** Checks from outside: a phone opens an address of the server, and the administrator sees whether and how it got there. */

import type { AppContext } from '#context'
import type { CheckVisit } from '#db/schema/reach.ts'
import { isSystemAdmin, systemAdminOnly } from '#domains/access/index.ts'
import { addressOf } from '#http/caller.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { limited, notFound } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'
import { parseIp } from '#lib/ip.ts'
import { normalAddress } from '#lib/own-link.ts'
import { isLoopbackAddress } from '#lib/reach.ts'
import { HOUR, SECOND } from '#platform/clock.ts'
import { bytes, secret, sha256 } from '#platform/ids.ts'

import {
  CHECK_MS,
  type CheckReport,
  type CheckState,
  MAX_OPEN_CHECKS,
  type NewCheck,
  type StartedCheck,
  TOKEN,
  TOKEN_BYTES,
} from './checks.model.ts'
import { browserFamily, networkOf, ownAddressesOf } from './checks.rules.ts'
import * as store from './checks.store.ts'

/** Rows are kept for a while after their end, so that a page of the console that asks late learns that the check has expired. */
const KEPT_MS = HOUR

/** @throws AppError 400 for a text that is not an address, 403, 429 */
export async function startCheck(ctx: AppContext, actor: Actor, { url }: NewCheck): Promise<StartedCheck> {
  if (!(await isSystemAdmin(ctx.db.read, actor))) throw systemAdminOnly()
  const { publicUrl } = ctx.config
  const address = url === undefined ? publicUrl : addressIn(url)
  const token = Buffer.from(bytes(TOKEN_BYTES)).toString('base64url')
  const opened = `${address}/check/${token}`
  const { id, expiresAt } = await ctx.db.write('server.startCheck', async (tx) => {
    const now = ctx.clock.now()
    await store.deleteChecks(tx, now - KEPT_MS)
    const { n, first } = await store.openChecks(tx, now)
    if (n >= MAX_OPEN_CHECKS)
      throw limited(
        `${MAX_OPEN_CHECKS} checks are waiting already`,
        `已有 ${MAX_OPEN_CHECKS} 个检查在等待`,
        Math.max(1, Math.ceil(((first ?? now) - now) / SECOND)),
      )
    return store.insertCheck(tx, {
      tokenHash: sha256(token),
      url: opened.slice(0, -token.length),
      expiresAt: now + CHECK_MS,
    })
  })
  const qrUrl = `${publicUrl}/api/qrcode/render?content=${encodeURIComponent(opened)}`
  return { id, url: opened, qrUrl, expiresAt }
}

function addressIn(url: string): string {
  const address = normalAddress(url)
  const { username, password, search, hash } = URL.parse(address === undefined ? '' : url) ?? {}
  if (address === undefined || username || password || search || hash)
    throw invalid(
      'body.url',
      'must be an address such as https://qr.example.org',
      '须为 https://qr.example.org 形式的地址',
    )
  return address
}

/** @throws AppError 403, 404 */
export async function showCheck(ctx: AppContext, actor: Actor, id: number): Promise<CheckState> {
  if (!(await isSystemAdmin(ctx.db.read, actor))) throw systemAdminOnly()
  const row = await store.findCheck(ctx.db.read, id)
  if (row === undefined) throw notFound()
  if (row.visit !== null) return { status: 'SEEN', seen: [row.visit] }
  return { status: row.expiresAt > ctx.clock.now() ? 'WAITING' : 'EXPIRED', seen: [] }
}

export interface OpenedCheck {
  readonly visit: CheckVisit
  /** The path of the page, as the browser sees it. */
  readonly path: string
  /** For the cookie of the device that has just opened it. Undefined if the device has it. */
  readonly visitor: string | undefined
  readonly expiresAt: number
}

/** The check with this token, if it can still be opened by a device with this cookie. */
async function findOpen(
  ctx: AppContext,
  token: string,
  visitor: string | undefined,
): Promise<store.CheckRow | undefined> {
  const row = TOKEN.test(token) ? await store.findByToken(ctx.db.read, sha256(token)) : undefined
  if (row === undefined || row.expiresAt <= ctx.clock.now()) return undefined
  const isFree = row.visit === null || (visitor !== undefined && row.visitorHash === sha256(visitor))
  return isFree ? row : undefined
}

/**
 * The first device that opens the address claims it and may load the page again, by its cookie. Undefined for others, and for tokens that
 * are unknown or have expired.
 */
export async function openCheck(
  ctx: AppContext,
  token: string,
  visitor: string | undefined,
  { request, caller }: { readonly request: Request; readonly caller: Caller },
): Promise<OpenedCheck | undefined> {
  const row = await findOpen(ctx, token, visitor)
  if (row === undefined) return undefined
  const path = new URL(row.url).pathname + token
  const { expiresAt } = row
  if (row.visit !== null) return { visit: row.visit, path, expiresAt, visitor: undefined }
  const visit = await visitOf(ctx, row.url, request, caller)
  const given = secret()
  const isFirst = await ctx.db.write('server.openCheck', (tx) => store.claimCheck(tx, row.id, visit, sha256(given)))
  return isFirst ? { visit, path, expiresAt, visitor: given } : undefined
}

async function visitOf(ctx: AppContext, url: string, request: Request, caller: Caller): Promise<CheckVisit> {
  const wanted = new URL(url)
  const opened = addressOf(request)
  // A proxy that ends TLS asks over http.
  const isProxied = wanted.protocol === 'https:' && wanted.hostname === opened.hostname
  const scheme = isProxied || opened.protocol === 'https:' ? 'https' : 'http'
  const hosts = [...new Set([wanted.hostname, new URL(ctx.config.publicUrl).hostname])]
  const named = await Promise.all(hosts.map(addressesOfHost))
  return {
    at: ctx.clock.now(),
    network: networkOf(caller.ip, [...ownAddressesOf(ctx.machine()), ...named.flat()]),
    scheme,
    secureContext: scheme === 'https' || isLoopbackAddress(url),
    browser: browserFamily(caller.userAgent),
  }
}

/** Milliseconds for which the page waits for the name service. */
const LOOKUP_MS = 2 * SECOND

/** The addresses of this server as others see them, for example that of its router. Empty if the name service does not answer. */
async function addressesOfHost(hostname: string): Promise<string[]> {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (parseIp(host) !== undefined) return [host]
  if (isLoopbackAddress(`http://${hostname}`)) return []
  const found = Bun.dns.lookup(host).then((all) => all.map(({ address }) => address))
  const late = new Promise<string[]>((resolve) => setTimeout(resolve, LOOKUP_MS, []).unref())
  return Promise.race([found.catch(() => []), late])
}

/** Stores what the script of the page has found out, for the device that opened it. @throws AppError 404 */
export async function reportCheck(
  ctx: AppContext,
  token: string,
  visitor: string | undefined,
  report: CheckReport,
): Promise<void> {
  const row = await findOpen(ctx, token, visitor)
  if (!row?.visit) throw notFound()
  const visit = { ...row.visit, ...report }
  await ctx.db.write('server.reportCheck', (tx) => store.updateVisit(tx, row.id, visit))
}
