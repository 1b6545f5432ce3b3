/** Digests with several processes: one mail for each user, whichever process queues it, and whichever is killed. */

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { SQL } from 'bun'
import { count } from 'drizzle-orm'

import { defaultConfig } from '#config/config.ts'
import { users } from '#db/schema/accounts.ts'
import { assetDigestRuns, assetDigests } from '#db/schema/asset-digests.ts'
import { assetLoans } from '#db/schema/assets.ts'
import { notificationPreferences } from '#db/schema/notifications.ts'
import { queueDigests } from '#domains/assets/digests/digests.service.ts'
import { wake } from '#domains/delivery/index.ts'
import { HOUR, MINUTE } from '#platform/clock.ts'

import { proveAddresses } from '../activities/message-helpers.ts'
import { addMany } from '../assets/helpers.ts'
import { startGateways } from '../harness/gateways.ts'
import { ok, type TestServer, until } from '../harness/index.ts'
import { ADMIN, firstAddress, spawnServer } from '../harness/server.ts'
import { onPostgres, type Several, startProcess, withServers } from './several.ts'

/** More than the digests of one write. */
const DEBTORS = 250

type Gateways = Awaited<ReturnType<typeof startGateways>>

/** A zone in which it is about noon, so that no test runs past midnight. */
function zoneAtNoon(): string {
  const ahead = 12 - new Date().getUTCHours()
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`
}

/** Users with a proved address and an overdue loan, whose time has come today. Returns their addresses. */
async function addDebtors(server: TestServer): Promise<string[]> {
  const { db } = server.ctx
  const ids: number[] = []
  for (let at = 0; at < DEBTORS; at += 50)
    await db.write('test.debtors', async (tx) => {
      const times = { createdAt: tx.stamp, updatedAt: tx.stamp }
      const names = Array.from({ length: 50 }, (_, i) => ({ nickname: `debtor ${at + i}`, ...times }))
      const rows = await tx.insert(users).values(names).returning({ id: users.id })
      await tx
        .insert(notificationPreferences)
        .values(rows.map(({ id }) => ({ userId: id, digestHour: 0, timeZone: zoneAtNoon() })))
      ids.push(...rows.map(({ id }) => id))
    })
  const dueAt = Date.now() - HOUR
  for (const userId of ids) {
    const [assetId] = await addMany(server, { userId, orgId: 0 }, [{}])
    await db.write('test.lend', (tx) =>
      tx
        .insert(assetLoans)
        .values({
          assetId: assetId!,
          owner: -userId,
          personName: 'Ms Chen',
          dueAt,
          checkedOutAt: 1,
          operatorId: userId,
        })
        .returning({ id: assetLoans.id }),
    )
  }
  return proveAddresses(server, ids)
}

async function turnOn(server: TestServer): Promise<void> {
  ok(await (await server.admin()).call('admin.settings.update', { body: { values: { 'mail.assetReminders': true } } }))
  // A run before now would have passed the time of the users.
  await server.ctx.db.write('test.forgetRuns', (tx) => tx.delete(assetDigestRuns))
}

/** The ids of the mails to each address. */
const idsOf = ({ mails }: Gateways): Map<string, Set<string | undefined>> =>
  new Map(
    [...Map.groupBy(mails, ({ to }) => to)].map(([to, some]) => [
      to,
      new Set(some.map(({ headers }) => headers.get('message-id'))),
    ]),
  )

async function expectOneEach(server: TestServer, gateways: Gateways, addresses: readonly string[]): Promise<void> {
  // Claims of killed processes end after a minute.
  server.clock.advance(2 * MINUTE)
  wake(server.ctx, 'EVENT')
  await until(() => idsOf(gateways).size === addresses.length, 'everybody got a mail')
  const ids = idsOf(gateways)
  expect([...ids.keys()].toSorted()).toEqual([...addresses].toSorted())
  expect([...ids.values()].every((some) => some.size === 1)).toBe(true)
  expect(gateways.mails.every(({ subject }) => subject === 'Assets: overdue 1')).toBe(true)
  const rows = await server.ctx.db.read.select({ n: count() }).from(assetDigests)
  expect(rows[0]!.n).toBe(addresses.length)
}

function startFast({ config, newDataDir }: Several) {
  return spawnServer(
    {
      ...defaultConfig,
      ...config,
      port: 0,
      dataDir: newDataDir(),
      adminUsername: ADMIN.username,
      adminPassword: ADMIN.password,
      logLevel: 'error',
      rateLimit: false,
    },
    { path: join(import.meta.dir, 'fast-clock.ts'), env: {} },
  )
}

describe.if(onPostgres)('digests', () => {
  test('are queued once each by three processes at the same time, and sent once if two are killed meanwhile', async () => {
    const gateways = await startGateways()
    await withServers(
      3,
      async (several) => {
        const { servers } = several
        const [server] = servers
        const children = [await startProcess(several), await startProcess(several)]
        const addresses = await addDebtors(server!)
        await turnOn(server!)
        await Promise.all(servers.map(({ ctx }) => queueDigests(ctx)))
        for (const [i, child] of children.entries()) {
          await until(() => gateways.mails.length >= 50 * (i + 1))
          await child.stop('SIGKILL')
        }
        await expectOneEach(server!, gateways, addresses)
        for (const { ctx } of servers) await queueDigests(ctx)
        expect(gateways.mails.length).toBeLessThanOrEqual(addresses.length + 4)
      },
      gateways.config,
    )
    await gateways.stop()
  })

  test('are queued once each if every process is killed while its job queues them', async () => {
    const gateways = await startGateways()
    await withServers(
      1,
      async (several) => {
        const [server] = several.servers
        const addresses = await addDebtors(server!)
        await turnOn(server!)
        // Only the children run jobs.
        await server!.stop()
        await using sql = new SQL({ url: several.config.databaseUrl!, max: 1 })
        const taken = async () => Number((await sql`SELECT count(*) AS n FROM asset_digests`)[0].n)
        for (const enough of [1, 201]) {
          const child = startFast(several)
          await firstAddress(child.stdout)
          await until(async () => (await taken()) >= enough, `${enough} digests were queued`)
          child.kill('SIGKILL')
          await child.exited
        }
        const last = startFast(several)
        await firstAddress(last.stdout)
        await until(() => idsOf(gateways).size === addresses.length, 'everybody got a mail')
        expect([...idsOf(gateways).values()].every((some) => some.size === 1)).toBe(true)
        expect(await taken()).toBe(addresses.length)
        last.kill('SIGKILL')
        await last.exited
      },
      gateways.config,
    )
    await gateways.stop()
  })
})
