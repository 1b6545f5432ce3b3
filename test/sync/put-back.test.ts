/** An administrator puts back an earlier state of a PostgreSQL database with other tools than the product's. */

import { expect, test } from 'bun:test'

import { SQL } from 'bun'

import { send } from '../harness/client.ts'
import { ok } from '../harness/index.ts'
import { person } from '../harness/people.ts'
import { until } from '../harness/until.ts'
import { Installation, onPostgres } from '../ops/cli.ts'
import { pullPage } from './replica.ts'

if (onPostgres)
  test('devices that have rows of the later state pull everything again, and no others', async () => {
    const place = await Installation.make()
    const earlier = `${new URL(place.databaseUrl).pathname.slice(1)}_earlier`
    const admin = new SQL({ url: process.env['TEST_DATABASE_URL']!, max: 1 })
    try {
      const url = new URL(place.databaseUrl)
      url.pathname = `/${earlier}`
      const signIn = { username: 'alice', password: 'secret of alice' }
      const devices = ['device-of-alice-1-long-enough', 'device-of-alice-2-long-enough']
      /** Alice on both devices. */
      const start = async (databaseUrl: string, path: string) => {
        const server = await place.serve([], { env: { TESSERA_DATABASE_URL: databaseUrl, TESSERA_RATE_LIMIT: 'off' } })
        const login = async (deviceId: string, way: string) => {
          const body = way === 'register' ? signIn : { account: signIn.username, password: signIn.password }
          const reply = await send(server.url, 'POST', `/api/auth/${way}`, {
            headers: { 'x-device-id': deviceId },
            body,
          })
          return person(server.url, reply, signIn.username, signIn.password, deviceId)
        }
        const first = await login(devices[0]!, path)
        return { server, first, second: await login(devices[1]!, 'login') }
      }
      const create = async (user: Awaited<ReturnType<typeof start>>['first'], name: string) =>
        ok(await user.post('/api/qr-codes', { name, content: name })).data.id as number

      const before = await start(place.databaseUrl, 'register')
      const kept = await create(before.first, 'kept')
      const sinceBefore: number[] = []
      for (const user of [before.first, before.second]) sinceBefore.push((await pullPage(user, 0)).serverTime)
      expect(await before.server.end()).toBe(0)
      await admin.unsafe(`CREATE DATABASE ${earlier} TEMPLATE ${new URL(place.databaseUrl).pathname.slice(1)}`)

      const later = await start(place.databaseUrl, 'login')
      const lost = await create(later.first, 'lost')
      const page = await pullPage(later.first, sinceBefore[0]!)
      expect(page.changes.qrCode!.updated.map(({ id }) => id)).toContain(lost)
      expect(await later.server.end()).toBe(0)
      await until(() => Date.now() > page.serverTime + 1000)

      for (const round of ['the next start', 'a start after it']) {
        const after = await start(url.href, 'login')
        const [ahead, other] = await Promise.all([
          pullPage(after.first, page.serverTime),
          pullPage(after.second, sinceBefore[1]!),
        ])
        expect([round, ahead.resync, other.resync]).toEqual([round, true, false])
        if (round === 'a start after it') {
          const again = await pullPage(after.first, 0)
          expect(again.changes.qrCode!.updated.map(({ id }) => id)).toEqual([kept])
          expect((await pullPage(after.first, again.serverTime)).resync).toBe(false)
        }
        expect(await after.server.end()).toBe(0)
      }
    } finally {
      await place.dispose()
      await admin.unsafe(`DROP DATABASE IF EXISTS ${earlier} WITH (FORCE)`)
      await admin.close()
    }
  })
