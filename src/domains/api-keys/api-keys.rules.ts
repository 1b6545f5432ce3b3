/** Which keys can be made, and which are good. Pure. */

import type { PermissionDomain } from '#db/schema/access.ts'
import { invalid } from '#http/validate.ts'
import { formatIp, parseRange } from '#lib/ip.ts'
import { DAY } from '#platform/clock.ts'

import { type ChangedApiKey, DEFAULT_DAYS, MAX_DAYS, MCP_ORDER, type NewApiKey } from './api-keys.model.ts'

/** The points of the PLATFORM domain with which a program can do no lasting harm. */
const PLATFORM_WRITES: ReadonlySet<string> = new Set(['notification:send', 'user:create', 'org_member:create'])

/** @throws AppError 400 */
export function requirePoints(domain: PermissionDomain, points: readonly string[], held: ReadonlySet<string>): void {
  for (const [i, point] of points.entries()) {
    const path = `body.points.${i}`
    if (point.startsWith('chat:')) throw invalid(path, 'cannot be in a key', '不能用于密钥')
    if (domain === 'PLATFORM' && !point.endsWith(':read') && !PLATFORM_WRITES.has(point))
      throw invalid(path, 'cannot be in a key of the console', '不能用于管理后台的密钥')
    if (!held.has(point))
      throw invalid(path, 'is a permission point that you do not hold here', '你在此范围内没有该权限点')
  }
}

/** The domain and organization of a new key; 0 for none. @throws AppError 400 */
export function scopeOf({ domain, orgId }: Pick<NewApiKey, 'domain' | 'orgId'>): {
  domain: PermissionDomain
  orgId: number
} {
  const chosen = domain ?? (orgId == null ? 'APP' : 'ORG')
  if (chosen === 'ORG' && orgId == null)
    throw invalid('body.orgId', 'is required for a key of an organization', '组织密钥须指定组织')
  if (chosen !== 'ORG' && orgId != null)
    throw invalid('body.orgId', 'is for keys of the domain ORG', '仅用于组织（ORG）密钥')
  return { domain: chosen, orgId: orgId ?? 0 }
}

/** @throws AppError 400 */
export function expiryOf(given: number | null | undefined, now: number): number {
  const expiresAt = given ?? now + DEFAULT_DAYS * DAY
  if (expiresAt <= now) throw invalid('body.expiresAt', 'must be in the future', '须为将来的时间')
  if (expiresAt > now + MAX_DAYS * DAY)
    throw invalid('body.expiresAt', `must be at most ${MAX_DAYS} days from now`, `距现在不能超过 ${MAX_DAYS} 天`)
  return expiresAt
}

/** The ranges in their shortest form, without bits beyond the prefix. @throws AppError 400 */
export const networksOf = (given: readonly string[]): string[] =>
  given.map((text, i) => {
    const range = parseRange(text)
    if (range === undefined)
      throw invalid(
        `body.networks.${i}`,
        'must be an address or a range such as 203.0.113.0/24',
        '须为地址或网段，例如 203.0.113.0/24',
      )
    const bytes = range.bytes.map((byte, at) => byte & ~(0xff >> Math.min(8, Math.max(0, range.bits - 8 * at))))
    return `${formatIp(bytes)}/${range.bits}`
  })

type Changeable = { readonly expiresAt: number; readonly mcp: string }

/** A key can only be limited further: who has found it must not get more by a change. @throws AppError 400 */
export function requireLess(key: Changeable, { expiresAt, mcp }: ChangedApiKey, now: number): void {
  if (expiresAt != null && expiresAt > key.expiresAt)
    throw invalid('body.expiresAt', 'can only be made earlier: make another key', '只能提前；如需更久请新建密钥')
  if (expiresAt != null && expiresAt <= now) throw invalid('body.expiresAt', 'must be in the future', '须为将来的时间')
  if (mcp != null && MCP_ORDER.indexOf(mcp) > MCP_ORDER.indexOf(key.mcp))
    throw invalid('body.mcp', 'can only be made less: make another key', '只能缩小；如需更多请新建密钥')
}
