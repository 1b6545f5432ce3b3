/** A server that sends codes until it is killed. Arguments (JSON): the configuration and the codes. Prints each committed code. */

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
    // The write is on disk: this code must be delivered.
    console.log(code)
  }),
)
