/**
 * The product without the sender of webhooks, to measure what the events of webhooks cost the writes that cause them. Environment: BENCH_DATA_DIR, BENCH_TARGETS, and
 * TESSERA_DATABASE_URL for PostgreSQL.
 */

import { createContext, domains, serve } from '#app'
import { defaultConfig } from '#config/config.ts'
import { databaseUrl } from '#config/database-url.ts'
import type { AppContext } from '#context'
import type { Domain } from '#domains/domain.ts'
import { setSetting } from '#domains/settings/index.ts'
import { startOutbox } from '#domains/webhooks/outbox/outbox.service.ts'
import { createLog } from '#platform/log.ts'

const config = {
  ...defaultConfig,
  dataDir: process.env['BENCH_DATA_DIR']!,
  databaseUrl,
  host: '127.0.0.1',
  port: 0,
  logLevel: 'warn' as const,
  rateLimit: false,
  privateTargets: [process.env['BENCH_TARGETS']!],
}
const withoutSender = (domain: Domain): Domain =>
  domain.name === 'webhooks' ? { ...domain, start: (ctx: AppContext) => startOutbox(ctx), stop: undefined } : domain
const log = createLog({ level: 'warn', format: 'json' })
const ctx = await createContext(config, { log, domains: domains.map(withoutSender) })
await ctx.db.write('bench.settings', (tx) => setSetting(tx, 'quota.qrCodes', 0))
const server = await serve(ctx)
process.on(
  'SIGTERM',
  () =>
    void server
      .kill()
      .then(() => ctx.close())
      .then(() => process.exit(0)),
)
console.log(`listening on ${server.url}`)
