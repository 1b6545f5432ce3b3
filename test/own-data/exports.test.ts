/** Exports of a user's data. */

import { describe, expect, spyOn, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import type { OwnerKey } from '#db/owner-key.ts'
import { identities, knownDevices, resetCodes, sessions, users } from '#db/schema/accounts.ts'
import { messages } from '#db/schema/chat.ts'
import { dataExports } from '#db/schema/exports.ts'
import { blobs, storageUsage } from '#db/schema/files.ts'
import { orgInvitations } from '#db/schema/orgs.ts'
import { passkeys, trustedDevices } from '#db/schema/passkeys.ts'
import { webhooks } from '#db/schema/webhooks.ts'
import { disk } from '#domains/own-data/exports/archive.service.ts'
import { keepExports } from '#domains/own-data/exports/running.service.ts'
import { DAY, HOUR, MINUTE } from '#platform/clock.ts'

import { upload } from '../album/helpers.ts'
import { makeKey } from '../api-keys/helpers.ts'
import { connect, makeGroup } from '../chat/helpers.ts'
import { pathOf } from '../files/helpers.ts'
import { inProcess, ok, race, useServer } from '../harness/index.ts'
import { fileStores } from '../harness/s3.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { createCode } from '../qr-codes/helpers.ts'
import { download, exported, finished, readArchive } from './helpers.ts'

const BOBS_ADDRESS = 'bob.secret@example.org'
const BOBS_PHONE = '+8613912345678'

for (const { name, config } of await fileStores())
  describe.if(inProcess)(`a data export with the store: ${name}`, () => {
    const { server, alice, bob, dave } = useServer({ people: ['alice', 'bob', 'dave'], config })

    test('contains what the user made and may still read, and of others the nickname and text only', async () => {
      await server.ctx.db.write('test.addresses', async (tx) => {
        const of = { userId: bob.id, verified: true, createdAt: tx.stamp }
        await tx.insert(identities).values([
          { ...of, provider: 'EMAIL', credential: BOBS_ADDRESS },
          { ...of, provider: 'PHONE', credential: BOBS_PHONE },
        ])
      })
      ok(await bob.put('/api/auth/userinfo', { nickname: 'Bobby' }))
      await connect(server, alice, bob)
      const code = await createCode(alice, { name: '=Menu', content: 'https://example.org/menu' })
      const others = await createCode(bob, { name: 'Code of Bob' })
      const org = await createOrg(bob)
      await addMembers(bob, org, alice)
      const bytes = crypto.getRandomValues(new Uint8Array(300_000))
      const fileId = await upload(server, alice, { bytes, name: 'a/b photo.jpg' })
      ok(await alice.call('album.add', { body: { fileId } }))
      await upload(server, bob, { name: 'photo of bob.jpg' })
      const group = await makeGroup(server, [alice, bob])
      const before = await sendAll(group, alice.id, bob.id)

      const archive = await exported(server, alice)
      const [profile] = archive.json('profile')
      expect(profile).toMatchObject({ id: alice.id, username: alice.username, hasPassword: true })
      expect(archive.json('qr-codes').map((row) => row['id'])).toEqual([code.id])
      expect(archive.text('data/qr-codes.csv')).toContain("'=Menu")
      expect(archive.json('memberships')).toMatchObject([{ orgId: org.id }])
      expect(archive.json('contacts')).toMatchObject([{ userId: bob.id, nickname: 'Bobby' }])
      const [photo] = archive.json('photos')
      const file = archive.json('files').find((row) => row['id'] === photo!['fileId'])!
      expect(Buffer.compare(archive.bytes(file['path'] as string), bytes)).toBe(0)
      const read = archive.json('messages')
      expect(read.map((row) => row['id'])).toEqual(before)
      expect(read[1]).toMatchObject({ senderId: bob.id, senderName: 'Bobby', text: 'text 1' })
      expect(archive.text('index.html')).toContain('<html lang="en">')
      expect(archive.json('sessions').length).toBeGreaterThan(0)

      expect(archive.texts).not.toContain(others.name)
      expect(archive.names.join()).not.toContain('bob')
      for (const secret of [BOBS_ADDRESS, 'bob.secret', BOBS_PHONE, BOBS_PHONE.slice(3)])
        expect(archive.texts).not.toContain(secret)
      for (const secret of await secretsOf(alice.id)) expect(archive.texts).not.toContain(secret)
    })

    test('contains keys, webhooks, passkeys, trusted devices and invitations, without secrets, hashes and addresses of others', async () => {
      const { ctx } = server
      const key = await makeKey(server, dave)
      const org = await createOrg(dave)
      await ctx.db.write('test.access', async (tx) => {
        const of = { userId: dave.id, createdAt: tx.stamp }
        const [session] = await tx.select().from(sessions).where(eq(sessions.userId, dave.id))
        await tx
          .insert(knownDevices)
          .values({
            ...of,
            deviceKey: session!.deviceKey,
            firstSeenAt: tx.stamp,
            lastSeenAt: tx.stamp,
          })
          .onConflictDoNothing()
        await tx
          .insert(trustedDevices)
          .values({ userId: dave.id, deviceKey: session!.deviceKey, trustedUntil: tx.stamp + DAY })
        await tx.insert(identities).values({
          ...of,
          provider: 'OIDC',
          credential: 'SECRET-hash-of-subject',
          issuer: 'https://login.example.org',
          verified: true,
        })
        await tx.insert(passkeys).values({
          ...of,
          name: 'Blue key',
          credentialId: 'SECRET-credential',
          userHandle: 'SECRET-handle',
          publicKey: 'SECRET-key',
          transports: ['usb'],
          createdOn: session!.deviceKey,
        })
        await tx.insert(resetCodes).values({
          ...of,
          kind: 'RESET',
          hash: 'SECRET-code',
          isForeign: false,
          expiresAt: tx.stamp + HOUR,
        })
        await tx.insert(webhooks).values({
          ...of,
          scope: 'USER',
          owner: -dave.id as OwnerKey,
          name: 'ERP',
          url: 'https://erp.example.org/hook',
          events: ['asset.*'],
          secret: 'SECRET-of-webhook',
          previousSecret: 'SECRET-before',
          enabled: false,
          enabledAt: tx.stamp,
          updatedAt: tx.stamp,
        })
        await tx.insert(orgInvitations).values({
          orgId: org.id,
          inviterId: dave.id,
          email: 'secret.guest@example.org',
          tokenHash: 'SECRET-token-hash',
          token: 'SECRET-token',
          language: 'en',
          message: 'Come and join us',
          mailState: 'SENT',
          expiresAt: tx.stamp + DAY,
          createdAt: tx.stamp,
        })
      })
      const archive = await exported(server, dave)
      expect(archive.json('api-keys')).toMatchObject([{ id: key.id, orgId: null, points: ['qr_code:read'] }])
      expect(archive.json('passkeys')).toMatchObject([{ name: 'Blue key', transports: ['usb'] }])
      expect(archive.json('reset-codes')).toMatchObject([{ kind: 'RESET', tries: 0 }])
      expect(archive.json('webhooks')).toMatchObject([{ orgId: null, name: 'ERP', events: ['asset.*'] }])
      expect(archive.json('identities')).toContainEqual(
        expect.objectContaining({
          provider: 'OIDC',
          credential: null,
          issuer: 'https://login.example.org',
        }),
      )
      expect(archive.json('devices')).toContainEqual(
        expect.objectContaining({ trustedUntil: expect.any(Number) as number }),
      )
      expect(archive.json('invitations-sent')).toMatchObject([{ message: 'Come and join us', mailState: 'SENT' }])
      expect(archive.json('memberships')).toMatchObject([{ orgId: org.id, isFromProvider: false }])
      for (const secret of [key.key, 'SECRET', 'secret.guest']) expect(archive.texts).not.toContain(secret)
    })

    test('is not counted in the quota, and its bytes are deleted after 48 hours', async () => {
      const job = (await finished(alice))!
      expect(job).toMatchObject({ status: 'READY', progress: 100, expiresAt: expect.any(Number) })
      const used = await server.ctx.db.read.select().from(storageUsage).where(eq(storageUsage.userId, alice.id))
      expect(used.map((row) => row.bytes)).toEqual([300_000])
      const [row] = await server.ctx.db.read.select().from(dataExports).where(eq(dataExports.id, job.id))
      const [blob] = await server.ctx.db.read.select().from(blobs).where(eq(blobs.id, row!.blobId!))
      expect((await server.ctx.blobs.stat(blob!.key))?.size).toBe(job.bytes!)
      server.clock.advance(48 * HOUR + 1)
      await keepExports(server.ctx)
      expect(ok(await alice.call('ownData.latest')).data).toMatchObject({ id: job.id, status: 'EXPIRED' })
      expect((await alice.call('ownData.downloadLink', { params: { id: job.id } })).status).toBe(400)
      expect(await server.ctx.db.read.select().from(blobs).where(eq(blobs.id, blob!.id))).toEqual([])
      while ((await server.ctx.blobs.stat(blob!.key)) !== undefined) await Bun.sleep(10)
      server.clock.advance(30 * DAY)
      await keepExports(server.ctx)
      expect(await server.ctx.db.read.select().from(dataExports)).toEqual([])
    })

    /** More than a page of messages, of both in turns. Returns their ids without that which alice has cleared. */
    async function sendAll(conversationId: number, ...people: number[]): Promise<number[]> {
      return server.ctx.db.write('test.messages', async (tx) => {
        const first = 1000
        const rows = Array.from({ length: 600 }, (_, i) => ({
          id: first + i,
          conversationId,
          senderId: people[i % 2]!,
          type: 'TEXT' as const,
          content: { text: `text ${i}`, mentions: [] },
          createdAt: tx.stamp,
        }))
        for (let i = 0; i < rows.length; i += 100) await tx.insert(messages).values(rows.slice(i, i + 100))
        return rows.map((row) => row.id)
      })
    }

    async function secretsOf(userId: number): Promise<string[]> {
      const [user] = await server.ctx.db.read.select().from(users).where(eq(users.id, userId))
      return [user!.passwordHash!, alice.refreshToken, alice.token, alice.deviceId]
    }
  })

describe.if(inProcess)('data exports', () => {
  const { server, admin, alice, bob, carol, dave, erin, frank } = useServer({
    people: ['alice', 'bob', 'carol', 'dave', 'erin', 'frank'],
    rateLimit: true,
  })
  const rowsOf = (userId: number) => server.ctx.db.read.select().from(dataExports).where(eq(dataExports.userId, userId))

  test('contain each of 20,000 messages once, in their order', async () => {
    const conversationId = await makeGroup(server, [frank, erin])
    const senders = [frank.id, erin.id]
    const ids = Array.from({ length: 20_000 }, (_, i) => 100_000 + i)
    await server.ctx.db.write('test.messages', async (tx) => {
      const rows = ids.map((id, i) => ({
        id,
        conversationId,
        senderId: senders[i % 2]!,
        type: 'TEXT' as const,
        content: { text: `text ${id}`, mentions: [] },
        createdAt: tx.stamp,
      }))
      for (let at = 0; at < rows.length; at += 1000) await tx.insert(messages).values(rows.slice(at, at + 1000))
    })
    const read = (await exported(server, frank)).json('messages')
    expect(read.map((row) => row['id'])).toEqual(ids)
    expect(read.every(({ id, text }) => text === `text ${String(id)}`)).toBe(true)
  })

  test('can be started once a day, also by fifty requests at once', async () => {
    const replies = await race(50, () => alice.call('ownData.start', { body: { files: false, language: 'zh' } }))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, code } of replies.filter((reply) => reply.status !== 200))
      expect([status, code]).toEqual([429, 4022])
    const job = (await finished(alice))!
    const archive = readArchive(await download(server, alice, job.id))
    expect(archive.text('index.html')).toContain('<html lang="zh-CN">')
    expect(archive.names.some((entry) => entry.startsWith('files/'))).toBe(false)
    const again = await alice.call('ownData.start', { body: {} })
    expect([again.status, again.code]).toEqual([429, 4022])
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(DAY / 1000 - 600)
    expect(await rowsOf(alice.id)).toHaveLength(1)
  })

  test('need a sign-in or confirmation within the last 10 minutes', async () => {
    server.clock.advance(11 * MINUTE)
    const late = await bob.call('ownData.start', { body: {} })
    expect([late.status, late.code]).toEqual([403, 4031])
    expect(await rowsOf(bob.id)).toEqual([])
    ok(await bob.post('/api/auth/confirm', { verifyType: 'PASSWORD', password: bob.password }))
    ok(await bob.call('ownData.start', { body: {} }))
    expect((await finished(bob)).status).toBe('READY')
  })

  test('are refused while less than 1 GB is free, and fail rather than fill the disk', async () => {
    const person = await server.person()
    const start = () => person.call('ownData.start', { body: {} })
    const free = spyOn(disk, 'freeBytes').mockResolvedValue(1024 ** 3 - 1)
    try {
      const refused = await start()
      expect([refused.status, refused.code]).toEqual([503, 503])
      expect(await rowsOf(person.id)).toEqual([])
      // The clock has passed the time of the sign-in.
      ok(await admin.post('/api/auth/confirm', { verifyType: 'PASSWORD', password: admin.password }))
      expect((await admin.call('ownData.startOfUser', { params: { userId: person.id }, body: {} })).status).toBe(503)
      await upload(server, person)
      free.mockResolvedValueOnce(1024 ** 3).mockResolvedValue(1024 ** 3 / 2 - 1)
      ok(await start())
      expect((await finished(person)).status).toBe('FAILED')
      free.mockRestore()
      // One that failed does not count.
      ok(await start())
      expect((await finished(person)).status).toBe('READY')
    } finally {
      free.mockRestore()
    }
  })

  test('notify the user, who finds a login record', async () => {
    const records = ok(await bob.call('loginRecords.ofUser', { params: { userId: bob.id } })).data.items as {
      loginType: string
    }[]
    expect(records.some(({ loginType }) => loginType === 'data_export')).toBe(true)
    const { items } = ok(await bob.get('/api/notifications')).data as { items: { title: string }[] }
    const titles = items.map(({ title }) => title)
    expect(titles).toContain('Your data is being exported')
    expect(titles).toContain('Your data export is ready')
  })

  test('are downloaded with a link for 10 minutes, by their user, while the session lasts', async () => {
    const { id } = (await finished(bob))!
    expect((await carol.call('ownData.downloadLink', { params: { id } })).status).toBe(404)
    expect((await admin.call('ownData.downloadLink', { params: { id } })).status).toBe(404)
    expect((await server.request('GET', `/api/auth/export/${id}/download-link`)).status).toBe(401)
    const link = ok(await bob.call('ownData.downloadLink', { params: { id } })).data
    const path = pathOf(link.url)
    const status = async (given: string) => (await fetch(server.url + given)).status
    expect(await status(path)).toBe(200)
    const part = await fetch(server.url + path, { headers: { range: 'bytes=0-3' } })
    expect([part.status, await part.text()]).toEqual([206, 'PK\u0003\u0004'])
    expect(await status(path.replace(`user=${bob.id}`, `user=${carol.id}`))).toBe(403)
    expect(await status(path.replace(/session=\d+/, `session=${carol.sessionId}`))).toBe(403)
    const other = (await finished(alice))!.id
    expect(await status(path.replace(id, other))).toBe(403)
    expect(await status(`/api/auth/export/${id}/download`)).toBe(400)
    server.clock.advance(10 * MINUTE)
    expect(await status(path)).toBe(403)
    const fresh = pathOf(ok(await bob.call('ownData.downloadLink', { params: { id } })).data.url)
    ok(await bob.post('/api/auth/logout'))
    expect(await status(fresh)).toBe(403)
  })

  test('begin again after the process that wrote them has died, two at once', async () => {
    const people = [carol, dave, erin]
    const { ctx } = server
    await ctx.db.write('test.dead', async (tx) => {
      for (const [i, { id }] of people.entries())
        await tx.insert(dataExports).values({
          id: `dead-${i}`,
          userId: id,
          createdBy: id,
          withFiles: true,
          language: 'en',
          // Two that ran, and one that waits for them.
          ...(i < 2
            ? { state: 'RUNNING', slot: i + 1, lease: 'dead', leaseUntil: ctx.clock.now() + MINUTE, attempts: 1 }
            : { state: 'QUEUED' }),
          createdAt: tx.stamp,
        })
    })
    await keepExports(ctx)
    expect((await rowsOf(erin.id))[0]!.state).toBe('QUEUED')
    server.clock.advance(MINUTE)
    await keepExports(ctx)
    for (const person of people) expect((await finished(person)).status).toBe('READY')
    expect((await rowsOf(carol.id))[0]).toMatchObject({ slot: null, attempts: 2 })
  })
})
