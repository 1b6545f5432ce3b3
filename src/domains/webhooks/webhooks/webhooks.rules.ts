import type { OwnerKey } from '#db/owner-key.ts'
import { EVENT_TYPES, type EventType, type WebhookScope } from '#db/schema/webhooks.ts'
import { mayBePublic } from '#platform/public-post.ts'

/** Owner of the webhooks of the server. */
export const SERVER: OwnerKey = 0

export const SECRET_PREFIX = 'whsec_'

/** `key`: 32 bytes. */
export const secretText = (key: Uint8Array): string => SECRET_PREFIX + Buffer.from(key).toString('base64')

/** Events of the server, which only webhooks of the server get. */
const OF_SERVER: readonly EventType[] = [
  'org.created',
  'user.created',
  'user.disabled',
  'user.enabled',
  'user.deleted',
  'agreement.published',
  'app_update.published',
  'backup.finished',
  'backup.failed',
]

/** Events about rows that only organizations own. */
const OF_ORGANIZATION = /^(member|join_request|invitation|org)\./

export function typesFor(scope: WebhookScope): readonly EventType[] {
  if (scope === 'PLATFORM') return EVENT_TYPES
  const types = EVENT_TYPES.filter((type) => !OF_SERVER.includes(type))
  return scope === 'ORG' ? types : types.filter((type) => !OF_ORGANIZATION.test(type))
}

/** Whether a pattern selects the type. */
export const selects = (pattern: string, type: string): boolean =>
  pattern === '*' || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)))

/** The index of the first pattern that selects nothing; -1 if there is none. */
export function firstUnknown(patterns: readonly string[], scope: WebhookScope): number {
  const types = typesFor(scope)
  return patterns.findIndex((pattern) => !types.some((type) => selects(pattern, type)))
}

/** Why a URL is refused before its name is resolved. */
export function urlProblem(text: string, allowed: readonly string[]): 'address' | 'port' | undefined {
  const url = URL.parse(text)
  if (url === null || !mayBePublic(url, allowed)) return 'address'
  const isFree = url.port === '' || Number(url.port) >= 1024 || allowed.includes(url.origin)
  return isFree ? undefined : 'port'
}
