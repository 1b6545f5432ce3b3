/** A change that one process has answered is seen by the next request, whichever process it reaches. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { nicknameWords } from '#db/schema/accounts.ts'
import { generateNickname, nicknameWordsChanged } from '#domains/accounts/index.ts'
import { getSetting, setSetting } from '#domains/settings/index.ts'

import { createRole, grant, revoke } from '../access/helpers.ts'
import { ok } from '../harness/index.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

describe.if(onPostgres)('with three processes', () => {
  test('a session that one process has ended is refused by every process', async () => {
    await withServers(3, async ({ servers }) => {
      for (const [nth, ending] of servers.entries()) {
        const person = await servers[0]!.person()
        // Each process has the session in its cache.
        for (const server of servers)
          expect((await sendTo(server, person, 'GET', '/api/auth/userinfo')).status).toBe(200)
        ok(await sendTo(ending, person, 'POST', '/api/auth/logout'))
        for (const server of servers)
          expect((await sendTo(server, person, 'GET', '/api/auth/userinfo')).status, `ended by ${nth}`).toBe(401)
      }
    })
  })

  test('a role that one process has given or taken holds at once in every process', async () => {
    await withServers(3, async ({ servers }) => {
      const admin = await servers[0]!.admin()
      const clerk = await servers[1]!.person()
      const statuses = () =>
        Promise.all(servers.map(async (server) => (await sendTo(server, clerk, 'GET', '/actuator/info')).status))
      expect(await statuses()).toEqual([403, 403, 403])
      const role = await createRole(admin, { permissions: ['system:read'] })
      await grant(admin, clerk, role)
      expect(await statuses()).toEqual([200, 200, 200])
      await revoke(admin, clerk, role)
      expect(await statuses()).toEqual([403, 403, 403])
    })
  })

  test('a setting, a list of words and an agreement that one process has changed are read again by every process', async () => {
    await withServers(3, async ({ servers }) => {
      const [first, ...others] = servers
      const admin = await first!.admin()
      /** As a request does before it reads anything. */
      const caughtUp = async (): Promise<void> => {
        for (const { ctx } of servers) await ctx.bus.caughtUp()
      }
      for (const { ctx } of servers) {
        expect(await getSetting(ctx, 'quota.qrCodes')).not.toBe(7)
        await generateNickname(ctx, 'en')
      }
      await first!.ctx.db.write('test', async (tx) => {
        await setSetting(tx, 'quota.qrCodes', 7)
        await tx.delete(nicknameWords).where(eq(nicknameWords.locale, 'en'))
        nicknameWordsChanged(tx)
      })
      await caughtUp()
      for (const { ctx } of others) {
        expect(await getSetting(ctx, 'quota.qrCodes')).toBe(7)
        expect(await generateNickname(ctx, 'en')).toMatch(/^User\d{6}$/)
      }
      // An administrator changes a setting through any process, and the next request to any other obeys it.
      for (const [nth, server] of servers.entries()) {
        const values = { 'quota.assets': 70 + nth }
        ok(await sendTo(server, admin, 'PUT', '/api/admin/settings', { body: { values } }))
        for (const other of servers)
          expect(ok(await sendTo(other, admin, 'GET', '/api/auth/quotas')).data.assets.limit).toBe(70 + nth)
      }
      const body = { type: 'SERVICE', title: 'Terms', content: 'Be nice.' } as const
      for (const server of servers) expect((await server.request('GET', '/public/agreement/service')).status).toBe(404)
      ok(await admin.call('agreements.publish', { body }))
      for (const server of servers) expect((await server.request('GET', '/public/agreement/service')).status).toBe(200)
    })
  })
})
