/** Kills the server again and again while it sends a message: everybody is notified once, and no mail is lost. */

import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { count, countDistinct, eq } from 'drizzle-orm'

import { createContext } from '#app'
import { type Config, defaultConfig } from '#config/config.ts'
import { activityMessageRecipients, activityMessages } from '#db/schema/activity-messages.ts'
import { notifications } from '#db/schema/notifications.ts'
import { createLog } from '#platform/log.ts'

import { freshDatabase } from '../harness/database.ts'
import { inProcess, ok, startGateways, startServer } from '../harness/index.ts'
import { update } from './helpers.ts'
import { addParticipants, expectOneEach, mailedTo, sent } from './message-helpers.ts'
import { openActivity } from './registering.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'tessera-messages-'))
const children = new Set<Bun.Subprocess>()
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(dataDir, { recursive: true, force: true })
})

const RECIPIENTS = Number(process.env['TEST_RECIPIENTS'] || 200)
/** Mails that the mail server accepts before the next kill: a prime, so that kills fall into all parts of the work. */
const MAILS_PER_LIFE = 37
/** Messages that a process hands over at the same time. */
const AT_ONCE = 2

test.if(inProcess)(
  'each of many participants has one notification and mail with one Message-ID after any number of kills',
  async () => {
    let accepted = 0
    let next = Infinity
    let reached = Promise.withResolvers<void>()
    const gateways = await startGateways({
      onMail() {
        if (++accepted >= next) reached.resolve()
        return undefined
      },
    })
    const database = process.env['TEST_DATABASE_URL'] ? await freshDatabase() : undefined
    const shared = { ...gateways.config, dataDir, databaseUrl: database?.url ?? '' }
    const server = await startServer({ dataDir, config: shared, settings: { 'activities.noticeDelaySeconds': 2 } })
    const alice = await server.person('alice')
    const activity = await openActivity(server, alice)
    const { addresses } = await addParticipants(server, activity, RECIPIENTS)
    const moved = await openActivity(server, alice, {}, { location: 'Hall A' })
    const other = await addParticipants(server, moved, 1)
    ok(await update(alice, moved.id, { location: 'Hall B' }))
    // The first process ends right after it has answered: the notice waits, and few recipients are listed.
    const created = await sent(alice, activity, { subject: 'To everybody' })
    await server.stop()

    const config: Config = { ...defaultConfig, ...shared, port: 0, logLevel: 'error' }
    let kills = 0
    for (;;) {
      reached = Promise.withResolvers<void>()
      next = accepted + MAILS_PER_LIFE
      const child = Bun.spawn([process.execPath, join(import.meta.dir, 'messages-child.ts'), JSON.stringify(config)], {
        env: { ...process.env, TESSERA_DATABASE_URL: config.databaseUrl },
        stdout: 'pipe',
        stderr: 'inherit',
      })
      children.add(child)
      const isDone = await Promise.race([
        reached.promise.then(() => false),
        new Response(child.stdout).text().then((text) => text.includes('ALL DONE')),
      ])
      child.kill('SIGKILL')
      await child.exited
      if (isDone) break
      kills++
    }
    expect(kills).toBeGreaterThan(RECIPIENTS / MAILS_PER_LIFE / 2)

    expectOneEach(mailedTo(gateways, 'To everybody'), addresses)
    expectOneEach(mailedTo(gateways, 'New place'), other.addresses)
    // Only those that were accepted and not yet recorded at a kill.
    expect(gateways.mails.length).toBeLessThanOrEqual(RECIPIENTS + 1 + kills * AT_ONCE)
    const ctx = await createContext(config, { log: createLog({ level: 'error', format: 'text' }) })
    const [notified] = await ctx.db.read
      .select({ n: count(), people: countDistinct(notifications.userId) })
      .from(notifications)
      .where(eq(notifications.type, 'ACTIVITY'))
    expect(notified).toEqual({ n: RECIPIENTS + 1, people: RECIPIENTS + 1 })
    const rows = await ctx.db.read
      .select({ state: activityMessageRecipients.state, n: count() })
      .from(activityMessageRecipients)
      .groupBy(activityMessageRecipients.state)
    expect(rows).toEqual([{ state: 'SENT', n: 2 * RECIPIENTS + 2 }])
    const [row] = await ctx.db.read.select().from(activityMessages).where(eq(activityMessages.id, created.id))
    expect(row).toMatchObject({
      state: 'DONE',
      counts: { recipients: RECIPIENTS, app: { sent: RECIPIENTS }, email: { queued: 0, sent: RECIPIENTS } },
    })
    await ctx.db.close()
    await gateways.stop()
    await database?.drop()
  },
)
