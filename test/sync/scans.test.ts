/** Scan records in pulls: every write shows, and nothing else does. */

import { describe, expect, test } from 'bun:test'

import { scanRecords } from '#db/schema/index.ts'
import { qrCodes } from '#domains/qr-codes/index.ts'
import { scanEndpoints } from '#domains/qr-codes/scans/scans.endpoints.ts'

import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { createCode } from '../qr-codes/helpers.ts'
import { changesOf, pull, writesOf } from './changes.ts'

const { server } = useServer()

const scan = async (user: Person, content: string) =>
  ok(await user.call('scanRecords.create', { body: { content } })).data

describe('each write', () => {
  type Write = (user: Person, id: number) => Promise<{ updated?: number[]; deleted?: number[] }>
  const writes: Record<string, Write> = {
    'scanRecords.create': async (user) => ({ updated: [(await scan(user, 'new')).id] }),
    'scanRecords.update': async (user, id) => {
      ok(
        await user.call('scanRecords.update', { params: { id }, body: { favorite: true, title: 'new', address: 'x' } }),
      )
      return { updated: [id] }
    },
    'scanRecords.delete': async (user, id) => {
      ok(await user.call('scanRecords.delete', { params: { id } }))
      return { deleted: [id] }
    },
  }

  test('of scan records has a line in the table of this test', () => {
    expect(Object.keys(writes).toSorted()).toEqual(writesOf(scanEndpoints))
  })

  for (const [name, write] of Object.entries(writes))
    test(`${name} is followed by a pull that shows its rows as they are, and no others`, async () => {
      const user = await server.person()
      const [one, other] = [await scan(user, 'one'), await scan(user, 'other')]
      const { serverTime } = await pull(user, 0)
      const { updated = [], deleted = [] } = await write(user, one.id)
      const { changes, serverTime: next } = await pull(user, serverTime)
      expect(changesOf(changes)).toEqual({ scanRecord: { updated, deleted } })
      const { items } = ok(await user.get('/api/scan-records')).data
      for (const row of changes.scanRecord.updated) {
        const shown = items.find((item: { id: number }) => item.id === row.id)
        const version = row.id === one.id ? 2 : 1
        expect(row).toEqual({ ...shown, orgId: null, version, updatedAt: expect.any(Number) })
      }
      const left = [one.id, other.id, ...updated].filter((id) => !deleted.includes(id))
      const all = (await pull(user, 0)).changes.scanRecord.updated.map((row) => row.id)
      expect(all.toSorted((a, b) => a - b)).toEqual([...new Set(left)].toSorted((a, b) => a - b))
      if (name !== 'scanRecords.update') return
      await write(user, one.id)
      expect(changesOf((await pull(user, next)).changes)).toEqual({})
    })
})

test('a scan record changes when its code is deleted permanently, and not when the code is changed or scanned', async () => {
  const user = await server.person()
  const code = await createCode(user)
  const record = await scan(user, code.content)
  expect(record.qrCodeId).toBe(code.id)
  const { serverTime } = await pull(user, 0)
  ok(await user.put(`/api/qr-codes/${code.id}`, { name: 'renamed' }))
  ok(await user.delete(`/api/qr-codes/${code.id}`))
  const trashed = await pull(user, serverTime)
  expect(changesOf(trashed.changes)).toEqual({ qrCode: { updated: [], deleted: [code.id] } })
  ok(await user.delete('/api/qr-codes/trash'))
  const { changes } = await pull(user, trashed.serverTime)
  expect(changesOf(changes)).toEqual({ scanRecord: { updated: [record.id], deleted: [] } })
  expect(changes.scanRecord.updated).toMatchObject([{ qrCodeId: null, title: code.name, version: 2 }])
})

test.if(inProcess)(
  'the write that deletes a code permanently clears 200 of its scan records, and the job the others',
  async () => {
    const user = await server.person()
    const { id: qrCodeId } = await createCode(user)
    const kept = await createCode(user)
    const { ctx } = server
    await ctx.db.write('test.scans', async (tx) => {
      const times = { scannedAt: 1, createdAt: tx.stamp, updatedAt: tx.stamp }
      const row = { userId: user.id, content: 'x', contentType: 'TEXT', source: 'CAMERA', ...times } as const
      await tx
        .insert(scanRecords)
        .values(Array.from({ length: 450 }, () => ({ ...row, qrCodeId })))
        .returning({ id: scanRecords.id })
      await tx
        .insert(scanRecords)
        .values({ ...row, qrCodeId: kept.id })
        .returning({ id: scanRecords.id })
    })
    const { serverTime } = await pull(user, 0)
    ok(await user.delete(`/api/qr-codes/${qrCodeId}`))
    ok(await user.delete('/api/qr-codes/trash'))
    const some = await pull(user, serverTime)
    expect(some.changes.scanRecord.updated).toHaveLength(200)
    await qrCodes.jobs.find((job) => job.name === 'qrCodes.clearPurgedCodes')!.run(ctx)
    const rest = await pull(user, some.serverTime)
    expect(rest.changes.scanRecord.updated).toHaveLength(250)
    for (const row of [...some.changes.scanRecord.updated, ...rest.changes.scanRecord.updated])
      expect(row).toMatchObject({ qrCodeId: null, version: 2 })
    expect(changesOf((await pull(user, rest.serverTime)).changes)).toEqual({})
    const all = (await pull(user, 0)).changes.scanRecord.updated
    expect(all.filter((row) => row['qrCodeId'] !== null)).toHaveLength(1)
  },
)
