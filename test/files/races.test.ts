/** Uploads and deletions at the same time: quotas are exact, and every row has its bytes. */

import { afterEach, describe, expect, test } from 'bun:test'

import { and, eq, isNotNull, sql } from 'drizzle-orm'

import { blobs, files, fileUploads, storageUsage } from '#db/schema/files.ts'

import { inProcess, ok, type Person, race, startServer, type TestServer, until, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { png, putBytes, text, upload, uploaded, usedStorage } from './helpers.ts'

/** Every file has bytes, every blob as many references as it is counted, every owner as many bytes, and nothing else is stored. */
async function expectConsistent({ ctx }: TestServer): Promise<void> {
  const stored = new Map<string, number>()
  const read = async (): Promise<void> => {
    stored.clear()
    for await (const { key, size } of ctx.blobs.list('')) stored.set(key, size)
  }
  const rows = await ctx.db.read.select().from(blobs)
  const all = await ctx.db.read.select().from(files)
  const open = await ctx.db.read.select().from(fileUploads).where(isNotNull(fileUploads.key))
  const keys = [...rows.map(({ key }) => key), ...open.map(({ key }) => key!)].toSorted()
  // Bytes are deleted after the answer.
  await until(async () => {
    await read()
    return stored.size <= keys.length
  })
  expect([...stored.keys()].toSorted()).toEqual(keys)
  const references = all.flatMap((file) => [
    file.blobId,
    ...(file.thumbnailBlobId === null ? [] : [file.thumbnailBlobId]),
  ])
  for (const row of rows) {
    expect(stored.get(row.key)).toBe(row.size)
    expect(references.filter((id) => id === row.id)).toHaveLength(row.refs)
  }
  expect(new Set(references).size).toBe(rows.length)
  for (const { userId, orgId, bytes, files: count } of await ctx.db.read.select().from(storageUsage)) {
    const own = all.filter((file) =>
      orgId === 0 ? file.orgId === 0 && file.uploaderId === userId : file.orgId === orgId,
    )
    const reserved = await ctx.db.read
      .select({ sum: sql<number>`coalesce(sum(${fileUploads.size}), 0)`, n: sql<number>`count(*)` })
      .from(fileUploads)
      .where(
        and(
          sql`${fileUploads.fileId} is null and ${fileUploads.size} > 0`,
          eq(fileUploads.orgId, orgId),
          orgId === 0 ? eq(fileUploads.userId, userId) : undefined,
        ),
      )
    expect(bytes).toBe(own.reduce((sum, { size }) => sum + size, 0) + Number(reserved[0]!.sum))
    expect(count).toBe(own.length + Number(reserved[0]!.n))
  }
}

const remove = (person: Person, id: number) => person.call('files.delete', { params: { id } })

describe('quotas', () => {
  const { server, alice } = useServer({ people: ['alice'], settings: { 'quota.storage': 10_000 } })
  afterEach(() => (inProcess ? expectConsistent(server) : undefined))

  test('of 50 parallel uploads exactly as many are stored as fit', async () => {
    const replies = await race(50, () => upload(alice, text(900)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(11)
    expect(replies.filter(({ status, code }) => status === 429 && code === 4022)).toHaveLength(39)
    expect(await usedStorage(alice)).toBe(9900)
    // 100 bytes are left.
    expect((await upload(alice, text(101))).status).toBe(429)
    expect((await upload(alice, text(100))).status).toBe(200)
    expect((await upload(alice, text(1))).status).toBe(429)
  })

  test('of 50 parallel uploads for an organization exactly as many are stored as fit, and its members keep their own quota', async () => {
    const org = await createOrg(alice)
    const before = await usedStorage(alice)
    const replies = await race(50, () => upload(alice, text(900), { type: 'asset', orgId: org.id }))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(11)
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(39)
    expect(await usedStorage(alice)).toBe(before)
  })

  test('uploads, tickets and deletions at the same time stay within the quota', async () => {
    const person = await server.person()
    const ids: number[] = []
    await race(60, async (i) => {
      if (i % 3 === 0) {
        const reply = await upload(person, text(700))
        if (reply.status === 200) ids.push(reply.data.id)
      } else if (i % 3 === 1) {
        const reply = await person.call('files.createTicket', { body: { name: 'x', size: 800 } })
        if (reply.status !== 200) return
        ok(await putBytes(server, reply.data, text(800)))
        if (i % 2 === 0) ok(await person.call('files.finishUpload', { body: { uploadId: reply.data.uploadId } }))
      } else {
        const id = ids.pop()
        if (id !== undefined) ok(await remove(person, id))
      }
      expect(await usedStorage(person)).toBeLessThanOrEqual(10_000)
    })
  })

  test('a ticket for the last bytes of the quota leads to a file', async () => {
    const person = await server.person()
    const body = { name: 'a.txt', size: 10_000 }
    const { uploadId, url } = ok(await person.call('files.createTicket', { body })).data
    expect((await upload(person, text(1))).status).toBe(429)
    ok(await putBytes(server, { url }, text(10_000)))
    ok(await person.call('files.finishUpload', { body: { uploadId } }))
    expect(await usedStorage(person)).toBe(10_000)
  })

  test('a quota of 0 is unlimited', async () => {
    await using unlimited = await startServer({ settings: { 'quota.storage': 0 } })
    await uploaded(await unlimited.person(), text(20_000))
  })
})

describe('the quota of the number of files', () => {
  const { server, alice } = useServer({ people: ['alice'], settings: { 'quota.files': 10 } })
  afterEach(() => (inProcess ? expectConsistent(server) : undefined))
  const usedFiles = async (person: Person) => ok(await person.call('profile.quotas')).data.files

  test('lets exactly 10 of 50 parallel uploads and tickets pass, and an organization has its own', async () => {
    const org = await createOrg(alice)
    for (const orgId of [undefined, org.id]) {
      const owner = { type: 'asset' as const, ...(orgId && { orgId }) }
      const replies = await race(50, async (i) => {
        const body = { name: 'x', size: 10, ...owner }
        const { status, code } =
          i % 2 === 0 ? await upload(alice, text(), owner) : await alice.call('files.createTicket', { body })
        return { status, code }
      })
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(10)
      expect(replies.filter(({ status, code }) => status === 429 && code === 4022)).toHaveLength(40)
    }
    expect(await usedFiles(alice)).toEqual({ used: 10, limit: 10 })
  })

  test('counts a file once from its ticket to its deletion', async () => {
    const person = await server.person()
    for (let i = 0; i < 9; i++) await uploaded(person, text())
    const { uploadId, url } = ok(await person.call('files.createTicket', { body: { name: 'a.txt', size: 50 } })).data
    expect((await upload(person, text())).status).toBe(429)
    ok(await putBytes(server, { url }, text(50)))
    const { id } = ok(await person.call('files.finishUpload', { body: { uploadId } })).data
    expect((await usedFiles(person)).used).toBe(10)
    expect((await upload(person, text())).status).toBe(429)
    ok(await remove(person, id))
    await uploaded(person, text())
    expect((await usedFiles(person)).used).toBe(10)
  })
})

describe('the same bytes', () => {
  const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })
  afterEach(() => (inProcess ? expectConsistent(server) : undefined))

  test('are there after every upload of a random history of uploads and deletions', async () => {
    const contents = [text(50), text(60), png(64), png(65)]
    const live = new Map<number, Person>()
    await race(30, async (worker) => {
      for (let step = 0; step < 8; step++) {
        const person = worker % 2 === 0 ? alice : bob
        const [first] = [...live].filter(([, owner]) => owner === person)
        if (first !== undefined && Math.random() < 0.55) {
          live.delete(first[0])
          ok(await remove(person, first[0]))
        } else {
          const file = await uploaded(person, contents[Math.floor(Math.random() * contents.length)]!)
          live.set(file.id, person)
        }
      }
    })
    for (const [id, person] of live) ok(await person.call('files.get', { params: { id } }))
    if (inProcess) await expectConsistent(server)
    for (const [id, person] of live) ok(await remove(person, id))
    if (inProcess) expect(await server.ctx.db.read.select().from(blobs)).toEqual([])
  })

  test('of 50 deletions of one file one succeeds', async () => {
    const { id } = await uploaded(alice, png())
    const replies = await race(50, () => remove(alice, id))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 404)).toHaveLength(49)
  })
})
