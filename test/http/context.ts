/** A context for the edge alone: no database, no domains. */

import { type Config, defaultConfig } from '#config/config.ts'
import type { AppContext } from '#context'
import { systemClock } from '#platform/clock.ts'
import { createLimiter } from '#platform/limiter.ts'
import { createLog } from '#platform/log.ts'
import { createMetrics } from '#platform/metrics.ts'
import { createPasswords } from '#platform/passwords.ts'
import { createSeal } from '#platform/seal.ts'
import { createTokens } from '#platform/tokens.ts'

export function bareContext(changed: Partial<Config> = {}): AppContext {
  const config = { ...defaultConfig, port: 0, rateLimit: false, checkAnswers: true, ...changed }
  const noStore = () => {
    throw new Error('the edge has no database')
  }
  return {
    config,
    clock: systemClock,
    log: createLog({ level: 'error', format: 'text', write: () => {} }),
    db: { read: undefined as never, readInWorker: undefined as never, write: noStore, close: async () => {} },
    metrics: createMetrics(),
    limiter: createLimiter(systemClock),
    passwords: createPasswords(),
    tokens: createTokens(new Uint8Array(32).fill(7), systemClock),
    seal: createSeal(new Uint8Array(32)),
    lifecycle: { startedAt: 0, draining: false },
  }
}
