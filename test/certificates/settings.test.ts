/** A server whose names, authority or kind of certificate change while it runs. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { desc } from 'drizzle-orm'

import type { Config } from '#config/config.ts'
import { acmeOrders, certificates } from '#db/schema/certificates.ts'
import { applySettings, getsCertificate, orderSoon, targetOf } from '#domains/certificates/index.ts'
import { certificateInUse } from '#http/tls.ts'
import { factsOf } from '#platform/certificate.ts'
import { DAY, HOUR, MINUTE } from '#platform/clock.ts'

import { type AuthorityProxy, startAuthorityProxy } from '../harness/authority-proxy.ts'
import { inProcess, startServer, type TestServer, until } from '../harness/index.ts'
import { AUTHORITY_CA, startPebble } from '../harness/pebble.ts'

const pebble = await startPebble()

describe.skipIf(pebble === undefined || !inProcess)('a server that gets its certificate by itself', () => {
  let authority: AuthorityProxy
  beforeEach(() => void (authority = startAuthorityProxy(pebble!.directory)))
  afterEach(() => authority.stop())

  const named = (name: string) => ({ domain: [name], publicUrl: `https://${name}:0` })
  const start = (name: string) =>
    startServer({
      config: {
        ...named(name),
        acmeDirectory: authority.directory,
        acmeCa: AUTHORITY_CA,
        httpPort: pebble!.httpPort,
      },
    })
  async function change({ ctx }: TestServer, config: Partial<Config>): Promise<void> {
    Object.assign(ctx, { config: { ...ctx.config, ...config } })
    await applySettings(ctx)
  }
  const serves = ({ ctx }: TestServer, name: string): boolean => {
    const certificate = certificateInUse(ctx)
    return certificate !== undefined && factsOf(certificate.cert).names.includes(name)
  }
  const newest = async ({ ctx }: TestServer) =>
    (await ctx.db.read.select().from(certificates).orderBy(desc(certificates.id)).limit(1))[0]

  test('gets one for its new name at once, although an attempt for the former one is under way or has failed', async () => {
    pebble!.names.hidden.add('former.example.org')
    const asked = Promise.withResolvers<void>()
    authority.before = async ({ kind }) => {
      if (kind !== 'directory') return undefined
      authority.before = () => undefined
      asked.resolve()
      return new Promise<never>(() => undefined)
    }
    await using server = await start('former.example.org')
    await asked.promise
    await change(server, named('present.example.org'))
    await until(() => serves(server, 'present.example.org'))
    const rows = await server.ctx.db.read.select().from(acmeOrders)
    expect(rows.map(({ holder, failures, fault }) => [holder, failures, fault])).toEqual([
      [null, 0, null],
      [null, 0, null],
    ])

    await change(server, named('former.example.org'))
    const { ctx } = server
    await until(async () =>
      (await ctx.db.read.select().from(acmeOrders)).some(({ fault }) => fault?.name === 'former.example.org'),
    )
    await change(server, named('next.example.org'))
    await until(() => serves(server, 'next.example.org'))
  })

  test('orders once if the same settings are applied many times', async () => {
    await using server = await start('once.example.org')
    await Promise.all(Array.from({ length: 20 }, () => change(server, {})))
    await until(() => serves(server, 'once.example.org'))
    for (let times = 0; times < 20; times++) await change(server, {})
    expect(authority.count('newOrder')).toBe(1)
  })

  test('orders nothing more when it no longer does so, until it does again', async () => {
    await using server = await start('switched.example.org')
    await until(() => serves(server, 'switched.example.org'))
    const first = (await newest(server))!
    await change(server, { domain: [] })
    expect(getsCertificate(server.ctx)).toBe(false)
    server.clock.advance(61 * DAY)
    // Would order if anything still did.
    const target = targetOf({ acmeDirectory: authority.directory, domain: ['switched.example.org'] })
    const { db } = server.ctx
    await db.write('test', (tx) => orderSoon(server.ctx, tx, target))
    // More writes than come before an order is claimed.
    for (let times = 0; times < 20; times++) await db.write('test', async () => undefined)
    expect((await db.read.select().from(acmeOrders)).map((row) => [row.target, row.holder])).toEqual([[target, null]])
    await change(server, { domain: ['switched.example.org'] })
    await until(async () => (await newest(server))!.id !== first.id)
  })

  test('ends its pause, or replaces a good certificate, when an administrator asks for it', async () => {
    pebble!.names.hidden.add('asked.example.org')
    await using server = await start('asked.example.org')
    const { ctx } = server
    const order = async () => (await ctx.db.read.select().from(acmeOrders))[0]
    await until(async () => (await order())?.fault?.name === 'asked.example.org')
    expect((await order())!.nextAt).toBeGreaterThan(ctx.clock.now() + MINUTE / 2)
    pebble!.names.hidden.delete('asked.example.org')
    const soon = (id?: number) => ctx.db.write('test', (tx) => orderSoon(ctx, tx, targetOf(ctx.config), id))
    await soon()
    await until(async () => (await newest(server)) !== undefined)
    const first = (await newest(server))!
    expect(first.renewAt).toBeGreaterThan(ctx.clock.now() + HOUR)
    await soon(first.id)
    await until(async () => (await newest(server))!.id !== first.id)
    await until(() => certificateInUse(ctx)?.cert !== first.chain)
  })
})
