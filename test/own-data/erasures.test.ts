/** Accounts that are deleted with their content. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import type { OwnerKey } from '#db/owner-key.ts'
import { loginRecords } from '#db/schema/accounts.ts'
import { activities } from '#db/schema/activities.ts'
import { albumPhotos } from '#db/schema/album.ts'
import { apiKeys } from '#db/schema/api-keys.ts'
import { assetCategories, assets } from '#db/schema/assets.ts'
import { conversationMembers, messages } from '#db/schema/chat.ts'
import { contentErasures, dataExports } from '#db/schema/exports.ts'
import { blobs, files } from '#db/schema/files.ts'
import { adminLogs } from '#db/schema/operation-log.ts'
import { categories, qrCodes, scanRecords } from '#db/schema/qr-codes.ts'
import { qrSlugs } from '#db/schema/qr-links.ts'
import { webhookDeliveries, webhooks } from '#db/schema/webhooks.ts'
import { eraseAll } from '#domains/own-data/erasures/erasures.service.ts'
import { keepExports } from '#domains/own-data/exports/running.service.ts'
import { deleteEndedJob } from '#domains/webhooks/webhooks/webhooks.service.ts'
import { DAY, HOUR, MINUTE } from '#platform/clock.ts'

import { createActivity } from '../activities/helpers.ts'
import { upload } from '../album/helpers.ts'
import { makeKey } from '../api-keys/helpers.ts'
import { connect } from '../chat/helpers.ts'
import { pathOf } from '../files/helpers.ts'
import { inProcess, ok, type Person, until, useServer } from '../harness/index.ts'
import { fileStores } from '../harness/s3.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { createCategory, createCode } from '../qr-codes/helpers.ts'
import { readArchive } from './helpers.ts'

for (const { name, config } of await fileStores())
  describe.if(inProcess)(`an account that is deleted with its content, with the store: ${name}`, () => {
    const { server, alice, bob, carol } = useServer({ people: ['alice', 'bob', 'carol'], config })
    const read = () => server.ctx.db.read
    const remove = (person: Person, content?: 'KEEP' | 'DELETE') =>
      person.call('auth.deleteAccount', { body: content === undefined ? {} : { content } })
    const erased = () => until(async () => (await read().select().from(contentErasures)).length === 0, 'all is erased')

    test('leaves nothing of the user, at once for others: the printed code answers 404, and its slug is never given again', async () => {
      await connect(server, alice, bob)
      const org = await createOrg(bob)
      await addMembers(bob, org, alice)
      await createCategory(alice, 'Folder')
      const code = await createCode(alice, {
        isPublic: true,
        isDynamic: true,
        content: 'https://example.org/menu',
        slug: 'printed-by-alice',
      })
      const trashed = await createCode(alice)
      ok(await alice.call('qrCodes.delete', { params: { id: trashed.id } }))
      ok(await alice.call('scanRecords.create', { body: { content: 'https://example.org', source: 'CAMERA' } }))
      const asset = ok(await alice.call('assets.create', { body: { name: 'Bike', publicFields: ['name'] } })).data
      ok(await alice.call('assetCategories.create', { body: { name: 'Bikes' } }))
      const fileId = await upload(server, alice)
      ok(await alice.call('album.add', { body: { fileId } }))
      const loose = await upload(server, alice, { type: 'other' })
      const link = ok(await alice.call('files.signedUrl', { query: { fileId: loose } })).data.url
      const draft = await createActivity(alice)
      const startTime = server.clock.now() + DAY
      const live = await createActivity(alice, {
        startTime,
        endTime: startTime + HOUR,
        visibility: 'PUBLIC',
        registration: {},
        status: 'ACTIVE',
      })
      ok(await carol.call('registrations.register', { params: { id: live.id }, body: {} }))
      ok(
        await alice.call('messages.send', {
          body: { toUserId: bob.id, clientMsgId: 'm1', type: 'TEXT', content: { text: 'stays' } },
        }),
      )
      const { items } = ok(await alice.call('conversations.list')).data
      ok(await alice.call('conversations.draft', { params: { id: items[0]!.id }, body: { draft: 'unsent' } }))
      const paths = [
        '/q/printed-by-alice',
        pathOf(code.publicUrl),
        pathOf(asset.publicUrl),
        pathOf(link),
        `/s/activity/${draft.uuid}`,
      ]
      const status = async (path: string) => (await fetch(server.url + path, { redirect: 'manual' })).status
      expect(await Promise.all(paths.slice(0, 4).map(status))).toEqual([302, 302, 200, 200])
      const blobsBefore = await read().select().from(blobs)
      expect(blobsBefore.length).toBeGreaterThan(0)

      ok(await remove(alice, 'DELETE'))
      expect(await Promise.all(paths.map(status))).toEqual([404, 404, 404, 404, 404])
      await until(async () => {
        await eraseAll(server.ctx)
        return (await read().select().from(contentErasures)).length === 0
      }, 'all is erased')

      for (const [table, column] of [
        [qrCodes, qrCodes.userId],
        [categories, categories.userId],
        [scanRecords, scanRecords.userId],
        [albumPhotos, albumPhotos.userId],
        [files, files.uploaderId],
        [assets, assets.userId],
        [loginRecords, loginRecords.userId],
      ] as const)
        expect(await read().select().from(table).where(eq(column, alice.id))).toEqual([])
      expect(await read().select().from(assetCategories).where(eq(assetCategories.owner, -alice.id))).toEqual([])
      for (const { key } of blobsBefore)
        await until(async () => (await server.ctx.blobs.stat(key)) === undefined, 'the bytes are gone')
      const [slug] = await read().select().from(qrSlugs).where(eq(qrSlugs.slug, 'printed-by-alice'))
      expect(slug).toBeDefined()
      expect(
        (
          await bob.call('qrCodes.create', {
            body: { name: 'x', content: 'https://example.org', slug: 'printed-by-alice' },
          })
        ).status,
      ).toBe(400)
      // Deleted now, and physically within an hour.
      const rows = await read().select().from(activities).where(eq(activities.userId, alice.id))
      expect(rows.every(({ deletedAt }) => deletedAt !== null)).toBe(true)
      expect((await carol.call('activities.get', { params: { id: live.id } })).status).toBe(404)
      const told = ok(await carol.get('/api/notifications')).data.items as { type: string }[]
      expect(told.some(({ type }) => type === 'ACTIVITY')).toBe(true)
      // The messages to others stay.
      const [message] = await read().select().from(messages).where(eq(messages.senderId, alice.id))
      expect(message!.content).toMatchObject({ text: 'stays' })
      const members = await read().select().from(conversationMembers).where(eq(conversationMembers.userId, alice.id))
      expect(members.every((member) => member.draft === '')).toBe(true)
    })

    for (const content of ['KEEP', 'DELETE'] as const)
      test(`ends API keys and webhooks with their logs: ${content}`, async () => {
        const frank = await server.person()
        const key = await makeKey(server, frank)
        ok(await key.call('qrCodes.list'))
        const id = await server.ctx.db.write('test.webhook', async (tx) => {
          const [hook] = await tx
            .insert(webhooks)
            .values({
              scope: 'USER',
              owner: -frank.id as OwnerKey,
              userId: frank.id,
              name: 'ERP',
              url: 'https://erp.example.org/hook',
              events: ['asset.*'],
              secret: '',
              enabled: false,
              enabledAt: tx.stamp,
              createdAt: tx.stamp,
              updatedAt: tx.stamp,
            })
            .returning({ id: webhooks.id })
          await tx.insert(webhookDeliveries).values({
            webhookId: hook!.id,
            eventId: crypto.randomUUID(),
            event: 'asset.created',
            status: 'DELIVERED',
            body: '{}',
            attempts: [],
            createdAt: tx.stamp,
          })
          return hook!.id
        })
        ok(await remove(frank, content))
        expect((await key.call('qrCodes.list')).status).toBe(401)
        expect(await read().select().from(apiKeys).where(eq(apiKeys.userId, frank.id))).toEqual([])
        await deleteEndedJob.run(server.ctx)
        expect(await read().select().from(webhooks).where(eq(webhooks.id, id))).toEqual([])
        expect(await read().select().from(webhookDeliveries).where(eq(webhookDeliveries.webhookId, id))).toEqual([])
        await erased()
      })

    test('takes activities out of discovery at once that are cancelled later', async () => {
      const gina = await server.person()
      const startTime = server.clock.now() + DAY
      const live = { startTime, endTime: startTime + HOUR, visibility: 'PUBLIC', status: 'ACTIVE' } as const
      const { id } = await createActivity(gina, live)
      const discovered = async () =>
        ok(await bob.call('activities.discover', { query: {} })).data.items.map((a) => a.id)
      expect(await discovered()).toContain(id)
      await server.ctx.db.write('test.erasure', async (tx) => {
        await tx.insert(contentErasures).values({ userId: gina.id, createdAt: tx.stamp })
      })
      expect(await discovered()).not.toContain(id)
      await until(async () => {
        await eraseAll(server.ctx)
        return (await read().select().from(contentErasures)).length === 0
      }, 'all is erased')
    })

    test('keeps the content unless it is asked to delete it', async () => {
      const code = await createCode(carol, { isPublic: true })
      ok(await remove(carol))
      expect(await read().select().from(contentErasures)).toEqual([])
      expect((await fetch(server.url + pathOf(code.publicUrl))).status).toBe(200)
      await erased()
    })

    test('refuses another value, and nothing changes', async () => {
      const dave = await server.person()
      expect((await dave.send('POST', '/api/auth/account/delete', { body: { content: 'SOME' } })).status).toBe(400)
      ok(await dave.call('profile.get'))
    })

    test('takes an export with it that is being written', async () => {
      const erin = await server.person()
      await createCode(erin)
      const keys = () => Array.fromAsync(server.ctx.blobs.list(''), ({ key }) => key)
      const before = await keys()
      ok(await erin.call('ownData.start', { body: {} }))
      ok(await remove(erin, 'DELETE'))
      await keepExports(server.ctx)
      expect(await read().select().from(dataExports).where(eq(dataExports.userId, erin.id))).toEqual([])
      await erased()
      await until(async () => (await keys()).every((key) => before.includes(key)), 'no bytes of the archive are left')
    })
  })

describe.if(inProcess)('an administrator', () => {
  const { server, admin, alice, bob } = useServer({ people: ['alice', 'bob'], rateLimit: true })
  const status = (person: Person, to: 'ACTIVE' | 'DISABLED') =>
    admin.call('admin.users.changeStatus', { params: { userId: person.id }, body: { status: to } })
  const remove = (by: Person, person: { id: number }, body: object = { reason: 'left' }) =>
    by.send('DELETE', `/api/admin/users/${person.id}`, { body })
  const logsOf = (userId: number, action: string) =>
    server.ctx.db.read
      .select()
      .from(adminLogs)
      .where(eq(adminLogs.targetId, userId))
      .then((rows) => rows.filter((row) => row.action === action))

  test('exports less of a user, who is notified', async () => {
    await createCode(alice, { name: 'Own code', content: 'https://secret.example.org' })
    ok(await alice.call('scanRecords.create', { body: { content: 'https://scanned.example.org', source: 'CAMERA' } }))
    const start = (by: Person, userId = alice.id) => by.call('ownData.startOfUser', { params: { userId }, body: {} })
    expect((await start(bob)).status).toBe(403)
    expect((await start(admin, 999_999)).status).toBe(404)
    expect((await server.request('POST', `/api/admin/users/${alice.id}/export`, { body: {} })).status).toBe(401)
    ok(await start(admin))
    expect((await start(admin)).code).toBe(4022)
    const params = { userId: alice.id }
    await until(
      async () => ok(await admin.call('ownData.latestOfUser', { params })).data?.status === 'READY',
      'the export is ready',
    )
    const { id } = ok(await admin.call('ownData.latestOfUser', { params })).data!
    expect((await alice.call('ownData.downloadLink', { params: { id } })).status).toBe(404)
    expect(ok(await alice.call('ownData.latest')).data).toBeNull()
    const { url } = ok(await admin.call('ownData.downloadLink', { params: { id } })).data
    const archive = readArchive(await (await fetch(server.url + pathOf(url))).bytes())
    expect(archive.json('profile')).toMatchObject([{ id: alice.id }])
    expect(archive.json('qr-codes')).toEqual([{ id: expect.any(Number), name: 'Own code' }])
    expect(archive.names).not.toContain('data/scan-records.json')
    for (const secret of ['secret.example.org', 'scanned.example.org']) expect(archive.texts).not.toContain(secret)
    expect(archive.text('index.html')).toContain('Scan records')
    const { items } = ok(await alice.get('/api/notifications')).data as { items: { title: string }[] }
    expect(items.map(({ title }) => title)).toContain('An administrator exports the data of your account')
    expect(await logsOf(alice.id, 'USER_EXPORT')).toHaveLength(1)
  })

  test('deletes a user who is disabled, and the log has the id without the name', async () => {
    expect((await remove(bob, alice)).status).toBe(403)
    expect((await remove(admin, alice)).status).toBe(400)
    expect((await remove(admin, admin)).status).toBe(400)
    expect((await remove(admin, { id: 999_999 })).status).toBe(404)
    expect((await remove(admin, alice, { content: 'DELETE' })).status).toBe(400)
    ok(await status(alice, 'DISABLED'))
    server.clock.advance(11 * MINUTE)
    expect((await remove(admin, alice)).code).toBe(4031)
    expect(await logsOf(alice.id, 'USER_DELETE')).toEqual([])
    ok(await admin.post('/api/auth/confirm', { verifyType: 'PASSWORD', password: admin.password }))
    ok(await remove(admin, alice, { content: 'DELETE', reason: 'left the school' }))
    expect((await remove(admin, alice)).status).toBe(400)
    const [row] = await logsOf(alice.id, 'USER_DELETE')
    expect(row).toMatchObject({
      targetName: null,
      after: { status: 'DELETED', content: 'DELETE', reason: 'left the school' },
    })
    await until(async () => {
      await eraseAll(server.ctx)
      return (await server.ctx.db.read.select().from(contentErasures)).length === 0
    }, 'all is erased')
    expect(await server.ctx.db.read.select().from(qrCodes).where(eq(qrCodes.userId, alice.id))).toEqual([])
  })

  test('cannot delete somebody with a role of administrators', async () => {
    ok(await admin.post('/api/auth/confirm', { verifyType: 'PASSWORD', password: admin.password }))
    const second = ok(
      await admin.call('admin.users.create', { body: { username: 'second', password: 'a long Passw0rd of it' } }),
    ).data
    ok(await admin.call('admin.users.changeRole', { params: { userId: second.id }, body: { role: 'ADMIN' } }))
    ok(await admin.call('admin.users.changeStatus', { params: { userId: second.id }, body: { status: 'DISABLED' } }))
    expect((await remove(admin, second)).status).toBe(403)
  })
})
