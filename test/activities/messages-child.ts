/** A server that sends messages until it is killed. Argument (JSON): the configuration. Prints `ALL DONE` when nothing is left to send. */

import { ne } from 'drizzle-orm'

import { createContext, serve } from '#app'
import type { Config } from '#config/config.ts'
import { activityMessages } from '#db/schema/activity-messages.ts'
import { createLog } from '#platform/log.ts'

const config = JSON.parse(process.argv[2]!) as Config
const ctx = await createContext(config, { log: createLog({ level: 'error', format: 'text' }) })
await serve(ctx)
for (;;) {
  const unfinished = await ctx.db.read
    .select()
    .from(activityMessages)
    .where(ne(activityMessages.state, 'DONE'))
    .limit(1)
  if (unfinished.length === 0) {
    console.log('ALL DONE')
    process.exit(0)
  }
  await Bun.sleep(5)
}
