/** Jobs and background work with several processes: each thing is done once, also if a process is killed. */

import { describe, expect, test } from 'bun:test'

import type { RunningContext } from '#app'
import { assetImports } from '#db/schema/asset-imports.ts'
import { failAbandonedJobs } from '#domains/assets/importing/jobs.service.ts'
import { sendNotice } from '#domains/delivery/index.ts'
import { MINUTE } from '#platform/clock.ts'

import { startGateways } from '../harness/gateways.ts'
import { ok, type TestServer, until } from '../harness/index.ts'
import { onPostgres, sendTo, startProcess, withServers } from './several.ts'

const runsJobs = ({ ctx }: Pick<TestServer, 'ctx'>): boolean => (ctx as RunningContext).processes.runsJobs

describe.if(onPostgres)('several processes', () => {
  test('one of them runs the jobs, and another one takes over when it stops', async () => {
    await withServers(3, async ({ servers }) => {
      const owners = () => servers.filter(runsJobs)
      await until(() => owners().length > 0)
      const [owner] = owners()
      expect(owners()).toHaveLength(1)
      await owner!.stop()
      await until(() => owners().some((server) => server !== owner))
      expect(owners()).toHaveLength(1)
    })
  })

  test('one that is killed with SIGKILL leaves the jobs to another, which goes on answering', async () => {
    await withServers(0, async (several) => {
      const killed = await startProcess(several)
      const server = await several.start()
      const person = await server.person()
      // It has asked for the jobs, and the first process has them.
      await Bun.sleep(1500)
      expect(runsJobs(server)).toBe(false)
      expect((await sendTo(killed, person, 'GET', '/api/auth/userinfo')).status).toBe(200)
      await killed.stop('SIGKILL')
      ok(await person.call('profile.get'))
      await until(() => runsJobs(server))
      ok(await person.call('profile.get'))
    })
  })

  test('one with another secret is refused, and may start when the others have stopped', async () => {
    await withServers(2, async ({ servers, start }) => {
      const changed = { secret: 'a secret that the other processes do not have' }
      await expect(start(changed)).rejects.toThrow('set the same TESSERA_SECRET for all of them')
      for (const server of servers) await server.stop()
      await start(changed)
    })
  })

  test('processes that start at the same time on a new database all start', async () => {
    await withServers(0, async (several) => {
      const started = await Promise.all([several.start(), several.start(), several.start()])
      const statuses = await Promise.all(started.map((server) => server.request('GET', '/actuator/health')))
      expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200])
      expect((await started[1]!.admin()).id).toBe((await started[2]!.admin()).id)
    })
  })

  test('a mail that one process is sending is not sent by others, nor by one that starts meanwhile', async () => {
    const received = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    const gateways = await startGateways({
      onMail: async () => {
        received.resolve()
        await answer.promise
        return undefined
      },
    })
    await withServers(
      2,
      async ({ servers, start }) => {
        const [{ ctx }] = servers as [(typeof servers)[0]]
        await ctx.db.write('test', (tx) =>
          sendNotice(ctx, tx, {
            to: 'ann@example.org',
            kind: 'PASSWORD_CHANGED',
            locale: 'en',
            data: { at: 0 },
          } as never),
        )
        await received.promise
        const late = await start()
        // Its workers look for messages that are due, as they do at each start.
        await Bun.sleep(500)
        answer.resolve()
        await until(() => gateways.mails.length > 0)
        await late.stop()
        expect(gateways.mails).toHaveLength(1)
      },
      gateways.config,
    ).finally(() => gateways.stop())
  })

  test('an import that one process runs goes on when others start, and fails when its process no longer reports', async () => {
    await withServers(1, async ({ servers, start }) => {
      const { ctx } = servers[0]!
      const { id: userId } = await servers[0]!.person()
      const job = {
        id: 'job',
        owner: -userId,
        userId,
        state: 'RUNNING',
        aliveAt: ctx.clock.now(),
        createdAt: 1,
      } as const
      await ctx.db.write('test', async (tx) => void (await tx.insert(assetImports).values(job)))
      const state = async () => (await ctx.db.read.select().from(assetImports))[0]!.state
      const other = await start()
      await failAbandonedJobs(other.ctx)
      expect(await state()).toBe('RUNNING')
      other.clock.advance(3 * MINUTE)
      await failAbandonedJobs(other.ctx)
      expect(await state()).toBe('FAILED')
    })
  })
})
