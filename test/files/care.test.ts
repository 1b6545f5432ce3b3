/** Clean-up, quotas, and files whose owners go. */

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Runner } from '#db/query/builders.ts'
import { blobs, files, fileUploads } from '#db/schema/files.ts'
import { deleteOrphanBytes, listOrphanBytes } from '#domains/files/clean-up.service.ts'
import { jobs } from '#domains/files/files.jobs.ts'
import { deleteAvatar, deleteUnused } from '#domains/files/files.service.ts'
import { countUsedByOrg, findByRequest, findFile, hasUploaded } from '#domains/files/files.store.ts'
import { attachFile, releaseFile, storeUpload } from '#domains/files/index.ts'
import { DAY } from '#platform/clock.ts'

import { inProcess, ok, type Person, startServer, useServer } from '../harness/index.ts'
import { addMembers, createOrg, leave } from '../orgs/helpers.ts'
import { png, putBytes, text, uploaded, usedStorage } from './helpers.ts'

const { server, alice, bob, mallory } = useServer({ people: ['alice', 'bob', 'mallory'] })

const folder = (): string => join(server.dataDir, 'files')

/** Writes bytes that no row refers to. Returns their key. */
async function orphan(place: string, ageMs: number): Promise<string> {
  const path = join(folder(), place)
  await mkdir(join(path, '..'), { recursive: true })
  await writeFile(path, 'orphan')
  const at = (server.clock.now() - ageMs) / 1000
  await utimes(path, at, at)
  return place
}
const hashKey = (i: number): string => {
  const hash = new Bun.CryptoHasher('sha256').update(`orphan ${i}`).digest('hex')
  return `${hash.slice(0, 2)}/${hash}.abcdef`
}

describe.if(inProcess)('clean-up', () => {
  test('deletes bytes without a row that are older than a day, and no others', async () => {
    const kept = await uploaded(alice, text())
    const ticket = ok(await alice.call('files.createTicket', { body: { name: 'a', size: 40 } })).data
    ok(await putBytes(server, ticket, text(40)))
    const old = [await orphan(hashKey(1), DAY + 1000), await orphan('uploads/unknown.abc', DAY + 1000)]
    const young = [await orphan(hashKey(2), DAY - 60_000), await orphan('uploads/unknown.def', DAY - 60_000)]
    const before = (await Array.fromAsync(server.ctx.blobs.list(''))).length
    expect((await Array.fromAsync(listOrphanBytes(server.ctx), ({ key }) => key)).toSorted()).toEqual(old.toSorted())
    expect(await deleteOrphanBytes(server.ctx)).toEqual({ count: 2, bytes: 12 })
    const left = await Array.fromAsync(server.ctx.blobs.list(''), ({ key }) => key)
    expect(left).toHaveLength(before - 2)
    for (const key of young) expect(left).toContain(key)
    server.clock.advance(2 * DAY)
    // The ticket has expired, but its row is there until the job has released it.
    await deleteOrphanBytes(server.ctx)
    expect(await server.ctx.db.read.select().from(fileUploads)).toHaveLength(1)
    for (const job of jobs) await job.run(server.ctx)
    expect(await server.ctx.db.read.select().from(fileUploads)).toHaveLength(0)
    const rows = await server.ctx.db.read.select().from(blobs)
    expect((await Array.fromAsync(server.ctx.blobs.list(''), ({ key }) => key)).toSorted()).toEqual(
      rows.map(({ key }) => key).toSorted(),
    )
    ok(await alice.call('files.get', { params: { id: kept.id } }))
  })

  test('deletes nothing while most of the stored bytes are unknown to the database', async () => {
    for (let i = 0; i < 150; i++) await orphan(hashKey(1000 + i), 2 * DAY)
    expect(await deleteOrphanBytes(server.ctx)).toEqual({ count: 0, bytes: 0 })
    expect(await Array.fromAsync(listOrphanBytes(server.ctx))).toHaveLength(150)
  })

  test('deletes temporary files at the start', async () => {
    const { dataDir } = server
    const staging = join(dataDir, 'copy', 'files', '.staging')
    await mkdir(staging, { recursive: true })
    await writeFile(join(staging, 'left-over'), 'bytes')
    await using _ = await startServer({ dataDir: join(dataDir, 'copy') })
    expect(await readdir(staging)).toEqual([])
  })
})

describe('GET /api/auth/quotas', () => {
  test('shows members the storage and QR codes of their organization, and 403 to others', async () => {
    const org = await createOrg(alice)
    await addMembers(alice, org, bob)
    const file = await uploaded(alice, png(), { type: 'org', orgId: org.id })
    const quotas = (person: Person) => person.call('profile.quotas', { query: { orgId: org.id } })
    ok(await alice.call('qrCodes.create', { body: { name: 'a', content: 'b', orgId: org.id } }))
    expect(ok(await quotas(bob)).data).toMatchObject({ storage: { used: file.size }, qrCodes: { used: 1 } })
    expect((await quotas(mallory)).status).toBe(403)
    expect((await mallory.call('profile.quotas', { query: { orgId: 999_999_999 } })).status).toBe(403)
    expect(await usedStorage(bob)).toBe(0)
  })
})

describe.if(inProcess)('owners', () => {
  test('the unused files, tickets and reservations of a deleted account go', async () => {
    const leaver = await server.person()
    const org = await createOrg(alice)
    await addMembers(alice, org, leaver)
    const before = (await server.ctx.db.read.select().from(blobs)).length
    await uploaded(leaver, text())
    await uploaded(leaver, png(), { type: 'album', orgId: org.id })
    ok(await leaver.call('files.createTicket', { body: { name: 'a', size: 500, type: 'album', orgId: org.id } }))
    ok(await leaver.call('auth.deleteAccount'))
    expect((await server.ctx.db.read.select().from(files)).filter((file) => file.uploaderId === leaver.id)).toEqual([])
    expect(await server.ctx.db.read.select().from(blobs)).toHaveLength(before)
    const { storage } = ok(await alice.call('profile.quotas', { query: { orgId: org.id } })).data
    expect(storage.used).toBe(0)
  })

  test('a file is not stored for an organization that its uploader has left while the file was on its way', async () => {
    const org = await createOrg(alice)
    const member = await server.person()
    await addMembers(alice, org, member)
    const { ctx } = server
    const store = async () => {
      const source = await ctx.staging.receive(new Blob([png()]).stream(), 10_000)
      const upload = {
        owner: { userId: member.id, orgId: org.id },
        type: 'album',
        name: 'a.png',
        requestId: null,
      } as const
      return storeUpload(ctx, upload, source, (_tx, insert) => insert()).finally(() => source.dispose())
    }
    const { id } = await store()
    ok(await leave(member, org))
    const refused = await store().catch((error: unknown) => error)
    expect(refused).toMatchObject({ status: 404 })
    const stored = (await ctx.db.read.select().from(files)).filter((file) => file.orgId === org.id)
    expect(stored.map((file) => file.id)).toEqual([id])
    ok(await member.call('files.delete', { params: { id } }))
    const { storage } = ok(await alice.call('profile.quotas', { query: { orgId: org.id } })).data
    expect(storage.used).toBe(0)
  })

  test('a file in use keeps an organization from being dissolved, and unused ones go with it', async () => {
    const org = await createOrg(alice)
    const used = await uploaded(alice, png(), { type: 'activity', orgId: org.id })
    const unused = await uploaded(alice, png(), { type: 'activity', orgId: org.id })
    const avatar = await uploaded(alice, png(), { type: 'org', orgId: org.id })
    ok(await alice.call('files.createTicket', { body: { name: 'a', size: 500, type: 'album', orgId: org.id } }))
    const owner = { userId: alice.id, orgId: org.id }
    const attach = (id: number, entityType: 'ACTIVITY' | 'ORG', type: 'activity' | 'org') =>
      server.ctx.db.write('test.attach', (tx) =>
        attachFile(tx, owner, id, { type, entityType, entityId: org.id, path: 'body.fileId' }),
      )
    await attach(used.id, 'ACTIVITY', 'activity')
    await attach(avatar.id, 'ORG', 'org')
    expect((await alice.call('files.delete', { params: { id: used.id } })).message).toContain('an activity')
    const refused = await alice.call('orgs.dissolve', { params: { id: org.id } })
    expect(`${refused.status} ${refused.message}`).toMatch(/^400 .*files \(1\)/)
    ok(await alice.call('files.get', { params: { id: unused.id } }))
    await server.ctx.db.write('test.release', (tx) => releaseFile(server.ctx, tx, used.id))
    ok(await alice.call('orgs.dissolve', { params: { id: org.id } }))
    const left = (await server.ctx.db.read.select().from(files)).filter((file) => file.orgId === org.id)
    expect(left).toEqual([])
    expect(await server.ctx.db.read.select().from(fileUploads)).toEqual([])
  })

  // Other plans are right for small tables on PostgreSQL.
  test.if(!process.env['TEST_DATABASE_URL'])('no query for the files of one owner looks at those of all', async () => {
    const { ctx } = server
    const statements = new Map<string, unknown[]>()
    await ctx.db.write('test.plans', async (tx) => {
      const { runner } = tx as unknown as { runner: Runner }
      const { rows } = runner
      runner.rows = (statement, params) => {
        if (/ "?files"?/.test(statement)) statements.set(statement, params)
        return rows.call(runner, statement, params)
      }
      await deleteAvatar(ctx, tx, 999_999)
      await deleteUnused(ctx, tx, 999_999, 500)
      await deleteUnused(ctx, tx, -999_999, 500)
      await countUsedByOrg(tx, 999_999)
      await hasUploaded(tx, 999_999)
      await findByRequest(tx, 999_999, 'a request')
      await findFile(tx, 999_999)
      runner.rows = rows
    })
    expect(statements.size).toBe(7)
    using db = new Database(join(server.dataDir, 'tessera.db'), { readonly: true })
    for (const [statement, params] of statements) {
      const plan = db.query(`EXPLAIN QUERY PLAN ${statement}`).values(...(params as string[]))
      for (const [, , , step] of plan) expect(`${step}: ${statement}`).toMatch(/^(?:SEARCH|LIST SUBQUERY)/)
    }
  })

  test('a file belongs to one thing at a time, of its own type and owner', async () => {
    const { id } = await uploaded(alice, png(), { type: 'album' })
    const attach = (person: Person, orgId: number, type: 'album' | 'asset', entityId: number) =>
      server.ctx.db.write('test.attach', (tx) =>
        attachFile(tx, { userId: person.id, orgId }, id, { type, entityType: 'ASSET', entityId, path: 'body.fileId' }),
      )
    for (const [person, orgId, type] of [
      [bob, 0, 'album'],
      [alice, 5, 'album'],
      [alice, 0, 'asset'],
    ] as const)
      expect(await attach(person, orgId, type, 1).catch((error: { status?: number }) => error.status)).toBe(400)
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => attach(alice, 0, 'album', i + 1)))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    // The thing decides who may see it, and nothing contributes who may see assets.
    expect((await alice.call('files.get', { params: { id } })).status).toBe(404)
  })
})
