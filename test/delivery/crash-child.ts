/** A server that sends the codes it is told to, and is killed while it does. Arguments: configuration, then codes (JSON). */

import { createContext, serve } from '#app'
import type { Config } from '#config/config.ts'
import { sendCode } from '#domains/delivery/index.ts'
import { createLog } from '#platform/log.ts'

const config = JSON.parse(process.argv[2]!) as Config
const codes = JSON.parse(process.argv[3]!) as string[]
const ctx = await createContext(config, { log: createLog({ level: 'error', format: 'text' }) })
await serve(ctx)
await Promise.all(
  codes.map(async (code) => {
    const expiresAt = ctx.clock.now() + 300_000
    const to = `+86138${code.padStart(8, '0')}`
    await ctx.db.write('test', (tx) =>
      sendCode(ctx, tx, { channel: 'SMS', to, purpose: 'LOGIN', code, locale: 'en', expiresAt }),
    )
    // On disk: from here on it must arrive.
    console.log(code)
  }),
)
