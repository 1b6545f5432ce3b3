/** Which operations are not open to API keys. */

import type { AnyEndpoint } from './endpoint.ts'
import { AppError } from './errors.ts'

/** Business code 4037. */
export const notForApiKeys = new AppError(403, 4037, {
  en: 'This operation is not open to API keys',
  zh: '此操作不对 API 密钥开放',
})

/** Areas that no key reaches, whatever points their operations ask for. */
const CLOSED =
  /^\/api\/(?:auth|rbac|webhooks|admin\/(?:api-keys|webhooks|oidc|backups|restores|server-log)|orgs\/:\w+\/api-keys)(?:\/|$)/
/** Changes of settings, roles, the status of accounts, passwords and second factors, and who owns an organization. */
const CLOSED_WRITES = [
  /^\/api\/admin\/(?:settings|chat\/settings|server|setup)(?:\/|$)/,
  /^\/api\/(?:admin\/)?orgs\/:\w+\/(?:roles|transfer|transfer-ownership)(?:\/|$)/,
  /^\/api\/(?:admin\/)?orgs\/:\w+\/members\/:\w+\/role$/,
  /^\/api\/admin\/users\/:\w+\/(?:role|status|password|reset-code|sessions|export)(?:\/|$)/,
]
/** Links that go on working when the key has ended: to calendars, and those with which phones work as gates without an account. */
const CLOSED_LINKS = /^\/api\/(?:assets\/calendar$|activities\/:\w+\/gates(?:\/|$))/
/** Dissolving an organization, and deleting an account. */
const CLOSED_DELETIONS = /^\/api\/(?:admin\/)?(?:orgs|users)\/:\w+$/

/**
 * Whether no API key may call the operation. Keys call operations that ask for a permission point, public ones, and those that are for keys
 * only; of these none that could give more than the key has, or outlast it.
 */
export function isClosedToKeys({ access, method, path }: AnyEndpoint): boolean {
  if (access.kind === 'key') return false
  if (access.kind === 'signedIn' || access.kind === 'admin' || CLOSED.test(path)) return true
  if (method === 'GET') return false
  if (CLOSED_LINKS.test(path)) return true
  return CLOSED_WRITES.some((closed) => closed.test(path)) || (method === 'DELETE' && CLOSED_DELETIONS.test(path))
}
