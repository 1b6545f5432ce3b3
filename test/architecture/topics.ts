/** The order of the topics inside each domain. */

import { domainOf } from './domain-rules.ts'
import { importsOf, type SourceFile } from './imports.ts'

/**
 * The topics of each domain from the bottom up: a topic imports itself and the topics before it. A domain of one topic is not in the list.
 * The domain's own files (`accounts.errors.ts`) are a topic with the name of the domain; those that only its index.ts imports (jobs,
 * endpoints, listeners) are at the top and may import all.
 */
export const TOPICS: Readonly<Record<string, readonly string[]>> = {
  backups: ['directory', 'backups', 'uploads', 'restores', 'moving'],
  'api-keys': ['api-keys', 'authentication', 'admin'],
  mcp: ['mcp', 'tools', 'messages'],
  access: ['system-roles', 'access', 'administrators', 'organizations', 'own-roles', 'admin', 'seed', 'explain'],
  accounts: [
    'accounts',
    'users',
    'nicknames',
    'codes',
    'reset-codes',
    'login-records',
    'passwords',
    'totp',
    'assertions',
    'second-factor',
    'sessions',
    'credentials',
    'confirmations',
    'devices',
    'undos',
    'identities',
    'password-changes',
    'profile',
    'logins',
    'links',
    'enrolments',
    'passkeys',
    'setup',
    'admin',
  ],
  activities: [
    'activities',
    'pass-keys',
    'entities',
    'visibility',
    'batches',
    'personal-mails',
    'registrations',
    'passes',
    'register',
    'discovery',
    'pass-templates',
    'check-in-lists',
    'copies',
    'links',
    'guest-forms',
    'pages',
    'event-mails',
    'check-ins',
    'guests',
    'kiosk',
    'gates',
    'gate-links',
    'messages',
    'invitations',
    'participants',
    'overview',
    'purging',
    'admin',
    'pass-issues',
    'pass-changes',
    'additions',
    'importing',
    'event-rows',
  ],
  admin: ['admin', 'markdown', 'statistics'],
  album: ['album', 'admin', 'sync'],
  assets: [
    'days',
    'reminders',
    'keepers',
    'dues',
    'bookings',
    'numbers',
    'calendars',
    'sheets',
    'grid',
    'history',
    'register',
    'categories',
    'writing',
    'entities',
    'listing',
    'supplies',
    'loans',
    'transfers',
    'assets',
    'maintenance',
    'reports',
    'inventories',
    'reservations',
    'digests',
    'clean-up',
    'map',
    'admin',
    'exporting',
    'labels',
    'importing',
    'supply-imports',
    'public',
    'sync',
    'event-rows',
  ],
  certificates: ['certificates', 'proofs', 'orders'],
  oidc: ['oidc', 'providers', 'clients', 'links', 'roles', 'sign-ins', 'logouts', 'admin'],
  chat: [
    'chat',
    'numbers',
    'members',
    'messages',
    'conversations',
    'groups',
    'reactions',
    'search',
    'recall',
    'feed',
    'live',
    'sync',
    'devices',
    'retention',
    'admin',
  ],
  contacts: ['contacts', 'list', 'privacy', 'card', 'requests', 'search'],
  delivery: ['gateways', 'delivery', 'refusals', 'templates', 'delivery-worker', 'sending'],
  found: ['found', 'things', 'cards', 'forms', 'reports', 'notices', 'threads', 'clean-up'],
  files: ['bytes', 'ownership', 'clean-up', 'files', 'storing', 'avatars', 'pixels', 'uploads', 'content', 'admin'],
  lan: ['authority', 'trust'],
  metadata: ['metadata', 'types', 'objects', 'owners', 'fields', 'templates', 'bindings', 'values'],
  notifications: ['mail', 'notifications', 'sends'],
  'operation-log': ['operation-log', 'retention', 'verification', 'listing'],
  operations: ['health', 'operations', 'metrics', 'others', 'server-log', 'system'],
  orgs: [
    'orgs',
    'notifications',
    'members',
    'organizations',
    'locations',
    'public',
    'joining',
    'invitations',
    'invite-mails',
    'transfers',
    'memberships',
    'roles',
    'admin',
    'event-rows',
  ],
  push: ['push', 'payload', 'sender', 'push-worker'],
  'qr-codes': [
    'scan-counts',
    'targets',
    'visits',
    'slugs',
    'free-blanks',
    'categories',
    'drawing',
    'looks',
    'codes',
    'designs',
    'render',
    'pictures',
    'blanks',
    'stats',
    'scans',
    'trash',
    'export',
    'links',
    'importing',
    'public',
    'sync',
    'admin',
    'event-rows',
  ],
  server: [
    'server',
    'aliases',
    'checks',
    'identity',
    'logo',
    'reach',
    'certificate',
    'mail',
    'setup',
    'releases',
    'restart',
    'overview',
  ],
  settings: ['kinds', 'budgets', 'people', 'programs', 'protections', 'settings', 'values', 'admin'],
  people: ['slips', 'importing'],
  shares: ['shares', 'admin'],
  sync: ['sync', 'scopes', 'rows', 'mappings', 'conflicts', 'devices', 'pull', 'push'],
  webhooks: ['webhooks', 'events', 'outbox', 'deliveries', 'sending'],
}

/** Domain and topic of a file: `codes/codes.service.ts` and `codes.service.ts` belong to `codes`. */
function topicOf(path: string): { domain: string; topic: string } | undefined {
  const domain = domainOf(path)
  const [, folder, file] = /^src\/domains\/[^/]+\/(?:([^/]+)\/)?([^/]+)\.ts$/.exec(path) ?? []
  if (domain === undefined || file === undefined || file === 'index') return undefined
  return { domain, topic: folder ?? file.split('.')[0]! }
}

const AT_THE_TOP = /\.(?:jobs|endpoints|listeners)\.ts$/

/** A sentence for each breach: a topic that is not in the list, or an import of a topic above. */
export function wrongTopics(
  files: readonly SourceFile[],
  order: Readonly<Record<string, readonly string[]>>,
): string[] {
  const found: string[] = []
  for (const file of files) {
    const from = topicOf(file.path)
    if (from === undefined || (from.topic === from.domain && AT_THE_TOP.test(file.path))) continue
    const topics = order[from.domain] ?? [from.domain]
    const place = topics.indexOf(from.topic)
    if (place === -1) found.push(`${file.path} is of the topic ${from.topic}, which TOPICS does not list`)
    for (const { target } of importsOf(file)) {
      const to = topicOf(target)
      if (to === undefined || to.domain !== from.domain || topics.indexOf(to.topic) <= place) continue
      const short = [file.path, target].map((path) => path.slice('src/domains/'.length)).join(' → ')
      found.push(`${short}: ${to.topic} is above ${from.topic} (test/architecture/topics.ts)`)
    }
  }
  return found
}
