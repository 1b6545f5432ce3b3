/** QR codes in pulls: every write shows, and nothing else does. */

import { beforeAll, describe, expect, test } from 'bun:test'

import type { Runner } from '#db/query/builders.ts'
import { codeEndpoints } from '#domains/qr-codes/codes/codes.endpoints.ts'
import { purgeTrash } from '#domains/qr-codes/index.ts'
import { trashEndpoints } from '#domains/qr-codes/trash/trash.endpoints.ts'
import { emptyTrash } from '#domains/qr-codes/trash/trash.service.ts'

import { inProcess, ok, type Person, startServer, until, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { createCategory, createCode } from '../qr-codes/helpers.ts'
import { changesOf, pull, type Row, writesOf } from './changes.ts'

const DAY = 86_400_000
const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })

const get = async (user: Person, id: number): Promise<Row> => ok(await user.get(`/api/qr-codes/${id}`)).data

describe('each write', () => {
  /** Changes of the codes `mine`, by the operation that makes them. Returns the ids that a pull must show. */
  type Write = (
    user: Person,
    mine: readonly number[],
    trashed: number,
  ) => Promise<{ updated?: readonly number[]; deleted?: readonly number[] }>
  const writes: Record<string, Write> = {
    'qrCodes.create': async (user) => ({ updated: [(await createCode(user)).id] }),
    'qrCodes.createBatch': async (user) => {
      const items = [1, 2].map((i) => ({ name: `${i}`, content: 'x' }))
      const { data } = ok(await user.call('qrCodes.createBatch', { body: { items } }))
      return { updated: data.items.map((code) => code.id) }
    },
    'qrCodes.update': async (user, [id]) => {
      ok(await user.call('qrCodes.update', { params: { id: id! }, body: { name: 'new' } }))
      return { updated: [id!] }
    },
    'qrCodes.pin': async (user, [id]) => {
      ok(await user.call('qrCodes.pin', { params: { id: id! }, body: { pinned: true } }))
      return { updated: [id!] }
    },
    'qrCodes.publish': async (user, [id]) => {
      ok(await user.call('qrCodes.publish', { params: { id: id! }, body: { isPublic: true } }))
      return { updated: [id!] }
    },
    'qrCodes.delete': async (user, [id]) => {
      ok(await user.call('qrCodes.delete', { params: { id: id! } }))
      return { deleted: [id!] }
    },
    'qrCodes.restore': async (user, _, trashed) => {
      ok(await user.call('qrCodes.restore', { params: { id: trashed } }))
      return { updated: [trashed] }
    },
    // Clients know of both since the code was moved to the trash.
    'qrCodes.deleteTrashed': async (user, _, trashed) => {
      ok(await user.call('qrCodes.deleteTrashed', { params: { id: trashed } }))
      return {}
    },
    'qrCodes.emptyTrash': async (user) => {
      ok(await user.call('qrCodes.emptyTrash', {}))
      return {}
    },
  }

  test('of codes has a line in the table of this test', () => {
    expect(Object.keys(writes).toSorted()).toEqual(writesOf([...codeEndpoints, ...trashEndpoints]))
  })

  for (const [name, write] of Object.entries(writes))
    test(`${name} is followed by a pull that shows its rows as they are, and no others`, async () => {
      const user = await server.person()
      const mine = [(await createCode(user)).id, (await createCode(user)).id]
      const { id: trashed } = await createCode(user)
      ok(await user.delete(`/api/qr-codes/${trashed}`))
      const before = await pull(user, 0)
      expect(before.changes.qrCode.updated.map((row) => row.id)).toEqual(mine)
      const { updated = [], deleted = [] } = await write(user, mine, trashed)
      const { changes } = await pull(user, before.serverTime)
      expect(changesOf(changes)).toEqual(
        updated.length + deleted.length === 0 ? {} : { qrCode: { updated: [...updated], deleted: [...deleted] } },
      )
      for (const row of changes.qrCode.updated) {
        expect(row).toEqual(await get(user, row.id))
        const known = before.changes.qrCode.updated.find((one) => one.id === row.id)
        expect(row.version).toBe(known ? known.version + 1 : row.id === trashed ? 3 : 1)
      }
      const after = await pull(user, 0)
      const left = [...new Set([...mine, ...updated])].filter((id) => !deleted.includes(id))
      expect(after.changes.qrCode.updated.map((row) => row.id).toSorted((a, b) => a - b)).toEqual(
        left.toSorted((a, b) => a - b),
      )
    })
})

test('a scan count and a repeated write change no code', async () => {
  const user = await server.person()
  const code = await createCode(user, { isPublic: true, tags: ['a'], style: { fg: 'ff0000' } })
  const { serverTime } = await pull(user, 0)
  for (let i = 0; i < 3; i++) ok(await server.request('GET', `/api/qr-codes/public/${code.uuid}`))
  // Counts are written within a second.
  await until(async () => (await get(user, code.id))['scanCount'] === 3)
  const shown = await get(user, code.id)
  ok(await user.put(`/api/qr-codes/${code.id}`, shown))
  ok(await user.put(`/api/qr-codes/${code.id}`, { style: shown['style'] }))
  expect((await pull(user, serverTime)).serverTime).toBeGreaterThanOrEqual(serverTime)
  expect(changesOf((await pull(user, serverTime)).changes)).toEqual({})
})

test('the codes of a deleted category come without it, and so does a restored one', async () => {
  const user = await server.person()
  const categoryId = await createCategory(user, 'temporary')
  const [code, trashed] = [await createCode(user, { categoryId }), await createCode(user, { categoryId })]
  ok(await user.delete(`/api/qr-codes/${trashed.id}`))
  const { serverTime } = await pull(user, 0)
  ok(await user.delete(`/api/categories/${categoryId}`))
  const { changes, serverTime: next } = await pull(user, serverTime)
  expect(changesOf(changes)).toEqual({
    category: { updated: [], deleted: [categoryId] },
    qrCode: { updated: [code.id], deleted: [] },
  })
  expect(changes.qrCode.updated).toMatchObject([{ categoryId: null, version: 2 }])
  ok(await user.patch(`/api/qr-codes/trash/restore/${trashed.id}`))
  expect((await pull(user, next)).changes.qrCode.updated).toMatchObject([{ id: trashed.id, categoryId: null }])
})

describe('codes of an organization', () => {
  let org: { id: number }
  beforeAll(async () => {
    org = await createOrg(alice)
    await addMembers(alice, org, bob)
  })

  test('are pulled by its members, and their deletion too', async () => {
    const { serverTime } = await pull(bob, 0)
    const { warnings: _, ...code } = ok(
      await alice.call('qrCodes.create', { body: { name: 'a', content: 'b', orgId: org.id } }),
    ).data
    const created = await pull(bob, serverTime)
    expect(created.changes.qrCode.updated).toEqual([code])
    ok(await alice.delete(`/api/qr-codes/${code.id}`))
    expect(changesOf((await pull(bob, created.serverTime)).changes)).toEqual({
      qrCode: { updated: [], deleted: [code.id] },
    })
  })

  test('come and go with the share if they are copies of a shared code', async () => {
    const code = await createCode(alice)
    const { serverTime } = await pull(bob, 0)
    const body = { entityType: 'QR_CODE', sourceId: code.id } as const
    const share = ok(await alice.call('shares.create', { params: { orgId: org.id }, body })).data
    const shared = await pull(bob, serverTime)
    expect(changesOf(shared.changes)).toEqual({ qrCode: { updated: [share.copyId], deleted: [] } })
    ok(await alice.call('shares.delete', { params: { orgId: org.id, shareId: share.id } }))
    expect(changesOf((await pull(bob, shared.serverTime)).changes)).toEqual({
      qrCode: { updated: [], deleted: [share.copyId] },
    })
  })
})

describe.if(inProcess)('the permanent deletion of a code', () => {
  test('is not missed by a running pull, whichever statement of the pull it overtakes', async () => {
    const { runner } = server.ctx.db.read as unknown as { runner: Runner }
    const { rows } = runner
    const user = await server.person()
    let { serverTime } = await pull(user, 0)
    for (let overtaken = 0, statements = 1; overtaken < statements; overtaken++) {
      const { id } = await createCode(user)
      ok(await user.delete(`/api/qr-codes/${id}`))
      statements = 0
      runner.rows = (sql, params) => {
        if (!/qr_codes|sync_tombstones/.test(sql) || statements++ !== overtaken) return rows.call(runner, sql, params)
        return emptyTrash(server.ctx, { userId: user.id, orgId: 0 }).then(() => rows.call(runner, sql, params))
      }
      try {
        const { changes, serverTime: next } = await pull(user, serverTime)
        expect(changes.qrCode.deleted, `statement ${overtaken}`).toEqual([id])
        serverTime = next
      } finally {
        runner.rows = rows
      }
    }
  })

  test('leaves a tombstone with the time when the code was moved to the trash if the job deletes it', async () => {
    const own = await startServer()
    try {
      const user = await own.person()
      const [late, early] = [await createCode(user), await createCode(user)]
      const first = await pull(user, 0)
      ok(await user.delete(`/api/qr-codes/${early.id}`))
      const second = await pull(user, first.serverTime)
      ok(await user.delete(`/api/qr-codes/${late.id}`))
      own.clock.advance(31 * DAY)
      await purgeTrash(own.ctx)
      const body = { account: user.username, password: user.password }
      user.token = ok(await own.request('POST', '/api/auth/login', { deviceId: user.deviceId, body })).data.accessToken
      expect((await pull(user, first.serverTime)).changes.qrCode.deleted).toEqual([early.id, late.id])
      expect((await pull(user, second.serverTime)).changes.qrCode.deleted).toEqual([late.id])
    } finally {
      await own.stop()
    }
  })
})
