/** Statistics of files, and stored files that no row refers to, as administrators list and delete them. */

import { beforeEach, describe, expect, test } from 'bun:test'
import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { adminLogs } from '#db/schema/operation-log.ts'
import { DAY, HOUR, MINUTE, SECOND } from '#platform/clock.ts'

import { inProcess, ok, race, until, useServer } from '../harness/index.ts'
import { startS3 } from '../harness/s3.ts'
import { png, text, uploaded } from './helpers.ts'

const s3 = await startS3()

describe.if(inProcess)('orphaned files', () => {
  const { server, admin, alice } = useServer({ people: ['alice'] })

  let made = 0
  /** Writes a file without a row into the folder of files. Returns its key. */
  async function orphan(ageMs: number, size = 6): Promise<string> {
    const hash = new Bun.CryptoHasher('sha256').update(`orphan ${++made}`).digest('hex')
    const key = `${hash.slice(0, 2)}/${hash}.abcdef`
    const path = join(server.dataDir, 'files', key)
    await mkdir(join(path, '..'), { recursive: true })
    await writeFile(path, 'x'.repeat(size))
    const at = (server.clock.now() - ageMs) / 1000
    await utimes(path, at, at)
    return key
  }
  const listed = async (query = {}) => ok(await admin.call('admin.files.orphaned', { query })).data
  const keys = async () => (await listed({ size: 100 })).items.map(({ key }) => key)
  const stats = async () => ok(await admin.call('admin.files.stats')).data
  const cleanUp = (body: object = {}) => admin.post('/api/admin/files/cleanup-orphaned', body)
  const logged = async () =>
    (await server.ctx.db.read.select().from(adminLogs)).filter(({ action }) => action === 'FILE_CLEANUP')
  const stored = async () => (await Array.fromAsync(server.ctx.blobs.list(''))).length

  beforeEach(async () => {
    ok(await cleanUp({ force: true }))
    server.clock.advance(MINUTE)
  })

  test('are listed newest first, without files that have a row, are being uploaded or were just stored', async () => {
    await uploaded(alice, png(), { name: 'a.png' })
    await orphan(DAY - HOUR)
    const older = await orphan(3 * DAY)
    const newer = await orphan(2 * DAY, 9)
    const page = await listed()
    expect(page).toMatchObject({
      total: 2,
      items: [
        { key: newer, bytes: 9 },
        { key: older, bytes: 6 },
      ],
    })
    // Each age is counted from the moment at which its file was made.
    const apart = page.items[0]!.modifiedAt - page.items[1]!.modifiedAt
    expect(Math.abs(apart - DAY)).toBeLessThan(HOUR)
    expect(await listed({ page: 2, size: 1 })).toMatchObject({ total: 2, items: [{ key: older }] })
  })

  test('are deleted with one row in the operation log, and other files stay', async () => {
    const { url } = await uploaded(alice, text(100))
    const young = await orphan(DAY - HOUR)
    const [a, b] = [await orphan(2 * DAY), await orphan(2 * DAY, 14)]
    const [before, rows] = [await stored(), (await logged()).length]
    expect(ok(await cleanUp({ dryRun: true })).data).toEqual({ scanned: before, deleted: 2, bytes: 20, skipped: 0 })
    expect((await keys()).toSorted()).toEqual([a, b].toSorted())
    expect(await logged()).toHaveLength(rows)
    expect(ok(await cleanUp()).data).toEqual({ scanned: before, deleted: 2, bytes: 20, skipped: 0 })
    expect((await logged()).slice(rows)).toMatchObject([
      { actorId: admin.id, targetId: null, before: null, after: { files: 2, bytes: 20 } },
    ])
    expect(await keys()).toEqual([])
    expect(await stored()).toBe(before - 2)
    expect(await server.ctx.blobs.stat(young)).toBeDefined()
    expect((await server.request('GET', url.slice(new URL(url).origin.length))).status).toBe(200)
    expect(ok(await cleanUp()).data).toMatchObject({ deleted: 0, skipped: 0 })
    expect(await logged()).toHaveLength(rows + 1)
  })

  test('are counted once by requests at the same time', async () => {
    for (let i = 0; i < 5; i++) await orphan(2 * DAY)
    const rows = (await logged()).length
    const replies = await race(8, () => cleanUp())
    expect(replies.reduce((sum, reply) => sum + ok(reply).data.deleted, 0)).toBe(5)
    expect(await logged()).toHaveLength(rows + 1)
  })

  test('are listed again after a clean-up, also one that deleted nothing', async () => {
    const { blobs } = server.ctx
    const list = blobs.list.bind(blobs)
    // A listing that took a second would be used for 20.
    Object.assign(blobs, { list: (prefix: string) => (server.clock.advance(SECOND), list(prefix)) })
    expect((await listed()).total).toBe(0)
    await orphan(2 * DAY)
    expect(await keys()).toEqual([])
    ok(await cleanUp({ dryRun: true }))
    expect(await keys()).toEqual([])
    ok(await cleanUp({ force: true }))
    expect((await listed()).total).toBe(0)
    ok(await cleanUp({ force: true }))
    const next = await orphan(2 * DAY)
    expect(await keys()).toEqual([next])
    Object.assign(blobs, { list })
  })

  test('are not deleted without force if most of the stored files are orphaned', async () => {
    for (let i = 0; i < 150; i++) await orphan(2 * DAY)
    const rows = (await logged()).length
    expect((await cleanUp()).status).toBe(400)
    expect((await listed()).total).toBe(150)
    expect(await logged()).toHaveLength(rows)
    expect(ok(await cleanUp({ dryRun: true })).data.deleted).toBe(150)
    expect(ok(await cleanUp({ force: true })).data.deleted).toBe(150)
  })

  test('are part of the statistics, which requests at the same time compute once a minute', async () => {
    await uploaded(alice, png(), { type: 'avatar', name: 'a.png' })
    server.clock.advance(MINUTE)
    const before = await stats()
    expect(before.orphaned).toEqual({ count: 0, bytes: 0 })
    const file = await uploaded(alice, text(70), { type: 'other' })
    await orphan(2 * DAY, 30)
    expect(await stats()).toEqual(before)
    server.clock.advance(MINUTE)
    const { blobs } = server.ctx
    const list = blobs.list.bind(blobs)
    let listings = 0
    Object.assign(blobs, { list: (prefix: string) => (listings++, list(prefix)) })
    const answers = await race(50, stats)
    Object.assign(blobs, { list })
    expect(listings).toBe(1)
    for (const after of answers) expect(after).toEqual(answers[0]!)
    const [after] = answers
    expect([after!.count - before.count, after!.bytes - before.bytes]).toEqual([1, file.size])
    expect(after!.orphaned).toEqual({ count: 1, bytes: 30 })
    expect(after!.byStorage).toEqual([{ storage: 'LOCAL', count: after!.count, bytes: after!.bytes }])
    expect(after!.byType.find(({ type }) => type === 'avatar')).toMatchObject({ count: 1 })
    for (const key of ['count', 'bytes'] as const)
      expect(after!.byType.reduce((sum, row) => sum + row[key], 0)).toBe(after![key])
  })

  test('requests with other fields are refused and delete nothing', async () => {
    await orphan(2 * DAY)
    for (const body of [{ dryRun: 'maybe' }, { force: 7 }]) expect((await cleanUp(body)).status).toBe(400)
    expect((await listed()).total).toBe(1)
  })
})

describe.skipIf(s3 === undefined || !inProcess)('with files in S3', () => {
  const { server, admin, alice } = useServer({ people: ['alice'], ...(s3 && { config: s3.config }) })

  test('nothing is listed as orphaned, and administrators delete files and find them by storage', async () => {
    const file = await uploaded(alice, png(), { name: 'a.png' })
    const { items } = ok(await admin.call('admin.files.list', { query: { storage: 'OSS' } })).data
    expect(items.map(({ id }) => id)).toEqual([file.id])
    expect(ok(await admin.call('admin.files.orphaned')).data).toMatchObject({ items: [], total: 0 })
    const nothing = { scanned: 0, deleted: 0, bytes: 0, skipped: 0 }
    expect(ok(await admin.post('/api/admin/files/cleanup-orphaned', {})).data).toEqual(nothing)
    ok(await admin.call('admin.files.delete', { params: { fileId: file.id } }))
    await until(async () => (await Array.fromAsync(server.ctx.blobs.list(''))).length === 0)
    expect(ok(await admin.call('admin.files.stats')).data).toMatchObject({ count: 0, orphaned: { count: 0, bytes: 0 } })
  })
})
