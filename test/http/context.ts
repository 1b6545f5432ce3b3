/** A context for HTTP alone: no database, no domains. */

import { type Config, defaultConfig } from '#config/config.ts'
import type { AppContext } from '#context'
import { ONLY_PROCESS } from '#db/processes.ts'
import { openBlobs, openStaging } from '#platform/blobs/index.ts'
import { createBus } from '#platform/bus.ts'
import { type Clock, systemClock } from '#platform/clock.ts'
import { createImages } from '#platform/images/index.ts'
import { createLimiter } from '#platform/limiter.ts'
import { createLog } from '#platform/log.ts'
import { createMetrics } from '#platform/metrics.ts'
import { createPasswords } from '#platform/passwords.ts'
import { createSeal } from '#platform/seal.ts'
import { createSheets } from '#platform/spreadsheets/index.ts'
import { createTokens } from '#platform/tokens.ts'
import { createUrlSigner } from '#platform/url-signer.ts'

export function bareContext(changed: Partial<Config> = {}, clock: Clock = systemClock): AppContext {
  const config = { ...defaultConfig, port: 0, rateLimit: false, checkAnswers: true, ...changed }
  const noStore = () => {
    throw new Error('this context has no database')
  }
  const log = createLog({ level: 'error', format: 'text', write: () => {} })
  const bus = createBus(log)
  const limiter = createLimiter(clock)
  return {
    config,
    origins: new Map(),
    clock,
    log,
    machine: () => ({ hasIpv6: false, names: [], addresses: [], publicAddresses: [] }),
    bus,
    db: {
      read: undefined as never,
      readInWorker: undefined as never,
      settledStamp: async () => 0,
      heavyReads: async () => ({ read: undefined as never, readInWorker: undefined as never, search: noStore }),
      search: noStore,
      write: noStore,
      aroundWrites: (_, run) => run(),
      checkWritable: async () => {},
      storage: { refusedWrites: new Map(), failed() {} },
      bus,
      close: async () => {},
    },
    blobs: openBlobs(config),
    staging: openStaging(config),
    images: createImages({ heic: () => true }),
    sheets: createSheets(),
    metrics: createMetrics(),
    limiter,
    exactLimiter: limiter,
    processes: ONLY_PROCESS,
    passwords: createPasswords(),
    tokens: createTokens(new Uint8Array(32).fill(7), clock),
    signer: createUrlSigner(new Uint8Array(32).fill(7)),
    seal: createSeal(new Uint8Array(32)),
    lifecycle: { startedAt: 0, leaving: false, draining: false },
  }
}
