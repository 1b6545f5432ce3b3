/** A server that sends messages until it is killed. Argument (JSON): the configuration. Prints `DONE` and the id of each message that is done. */

import { eq } from 'drizzle-orm'

import { createContext, serve } from '#app'
import type { Config } from '#config/config.ts'
import { activityMessages } from '#db/schema/activity-messages.ts'
import { createLog } from '#platform/log.ts'

const config = JSON.parse(process.argv[2]!) as Config
const ctx = await createContext(config, { log: createLog({ level: 'error', format: 'text' }) })
await serve(ctx)
for (;;) {
  const done = await ctx.db.read.select().from(activityMessages).where(eq(activityMessages.state, 'DONE'))
  if (done.length > 0) {
    for (const { id } of done) console.log(`DONE ${id}`)
    process.exit(0)
  }
  await Bun.sleep(5)
}
