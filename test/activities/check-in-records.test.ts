/** Records of check-ins: who sees which, filters, pages and workbooks. */

import { beforeAll, describe, expect, test } from 'bun:test'

import * as XLSX from '@e965/xlsx'
import { eq } from 'drizzle-orm'
import { unzipSync } from 'fflate'

import type { Runner } from '#db/query/builders.ts'
import { users } from '#db/schema/accounts.ts'
import type { CheckInView } from '#domains/activities/check-ins/check-ins.model.ts'
import { insertCheckIns } from '#domains/activities/check-ins/check-ins.store.ts'
import { exportRecords } from '#domains/activities/check-ins/export.service.ts'

import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'
import { addMany, checkIn, openActivity, recordsOf } from './check-in-helpers.ts'

const { server, alice, bob, carol } = useServer({ people: ['alice', 'bob', 'carol'], noAdmin: true })

const UNLIMITED = { checkInConfig: { maxPerUser: 0 } }
const idsOf = (records: { data: { items: readonly CheckInView[] } }) => records.data.items.map(({ id }) => id)

const rename = (person: Person, nickname: string) => person.call('profile.update', { body: { nickname } })

/** Requests the workbook. */
async function workbook(person: Person, { id }: { readonly id: number }, query = '', language = 'en') {
  const headers = {
    authorization: `Bearer ${person.token}`,
    'x-device-id': person.deviceId,
    'accept-language': language,
  }
  const response = await fetch(`${server.url}/api/activities/${id}/check-in/records?format=xlsx${query}`, { headers })
  return { response, bytes: new Uint8Array(await response.arrayBuffer()) }
}

const bookOf = (bytes: Uint8Array) => XLSX.read(bytes, { type: 'buffer', cellDates: true, cellNF: true, UTC: true })
const sheetOf = (bytes: Uint8Array) => {
  const book = bookOf(bytes)
  return book.Sheets[book.SheetNames[0]!]!
}
const rowsOf = (bytes: Uint8Array): unknown[][] =>
  XLSX.utils.sheet_to_json(sheetOf(bytes), { header: 1, defval: null, UTC: true })

describe('visibility of records', () => {
  test('GET /activities/:id/check-in/records lists all check-ins for managers, newest first, and their own for others', async () => {
    const activity = await openActivity(server, alice, UNLIMITED)
    const made: CheckInView[] = []
    for (const person of [bob, carol, bob, alice]) made.push(ok(await checkIn(person, activity)).data)
    const page = ok(await recordsOf(alice, activity)).data
    expect(page).toEqual({ items: made.toReversed(), total: 4, page: 1, size: 20 })
    expect(idsOf(ok(await recordsOf(bob, activity)))).toEqual([made[2]!.id, made[0]!.id])
    expect(idsOf(ok(await recordsOf(bob, activity, { userId: bob.id })))).toEqual([made[2]!.id, made[0]!.id])
    for (const query of [{ userId: carol.id }, { userId: carol.id, method: 'QR' }, { userId: 999_999_999 }])
      expect(ok(await recordsOf(bob, activity, query)).data).toMatchObject({ items: [], total: 0 })
    // No filter shows the rows of others.
    const others = ok(await recordsOf(bob, activity, { keyword: '', from: 0, method: 'QR', size: 100 })).data
    expect(others.items.every(({ userId }) => userId === bob.id)).toBe(true)
    expect(ok(await recordsOf(await server.person(), activity)).data.total).toBe(0)
    expect((await server.request('GET', `/api/activities/${activity.id}/check-in/records`)).status).toBe(401)
  })

  test('in an organization, records are for members with checkin:read, and for the creator as long as they are a member', async () => {
    const [creator, member, deputy] = [await server.person(), bob, carol]
    const org = await createOrg(alice)
    await addMembers(alice, org, creator, member, deputy)
    await setRole(alice, org, creator, 'ADMIN')
    await setRole(alice, org, deputy, 'ADMIN')
    const activity = await openActivity(server, creator, { orgId: org.id, visibility: 'RESTRICTED', ...UNLIMITED })
    for (const person of [member, deputy]) ok(await checkIn(person, activity))
    for (const person of [alice, creator, deputy]) expect(ok(await recordsOf(person, activity)).data.total).toBe(2)
    expect(ok(await recordsOf(member, activity)).data.total).toBe(1)
    expect((await recordsOf(member, activity, { orgId: org.id })).status).toBe(403)
    expect(ok(await recordsOf(deputy, activity, { orgId: org.id })).data.total).toBe(2)

    await setRole(alice, org, creator, 'MEMBER')
    expect(ok(await recordsOf(creator, activity)).data.total).toBe(2)
    ok(await creator.call('orgs.leave', { params: { id: org.id } }))
    for (const person of [creator, await server.person()]) {
      expect((await recordsOf(person, activity)).status).toBe(404)
      expect((await workbook(person, activity)).response.status).toBe(404)
    }
  })

  test('the records of a deleted account stay, with the name that stands for it', async () => {
    const activity = await openActivity(server, alice, UNLIMITED)
    const guest = await server.person()
    ok(await rename(guest, 'Very Private'))
    ok(await checkIn(guest, activity))
    expect(ok(await recordsOf(alice, activity)).data.items[0]?.nickname).toBe('Very Private')
    ok(await guest.call('auth.deleteAccount'))
    const { data } = ok(await recordsOf(alice, activity))
    expect(data.items).toMatchObject([{ userId: guest.id, nickname: 'Deleted user' }])
    expect(ok(await recordsOf(alice, activity, { keyword: 'private' })).data.total).toBe(0)
    expect(JSON.stringify(rowsOf((await workbook(alice, activity)).bytes))).not.toContain('Private')
  })
})

describe.if(inProcess)('filters', () => {
  test('records are filtered by user, method, time and nickname', async () => {
    const activity = await openActivity(server, alice, UNLIMITED)
    const [lin, wang] = [await server.person(), await server.person()]
    ok(await rename(lin, 'Lin 100%'))
    ok(await rename(wang, '王小明'))
    const made: CheckInView[] = []
    for (const [person, method] of [
      [lin, 'GPS'],
      [wang, 'CODE'],
      [lin, 'QR'],
      [wang, 'GPS'],
    ] as const) {
      const by = { activityId: activity.id, userId: person.id, max: 0, registeredOnly: false }
      const [row] = await server.ctx.db.write('test', (tx) => insertCheckIns(tx, [{ ...by, method, distance: null }]))
      made.push({ ...row!, nickname: '' })
      server.clock.advance(1000)
    }
    const [a, b, c, d] = made as [CheckInView, CheckInView, CheckInView, CheckInView]
    for (const [query, expected] of [
      [{ userId: lin.id }, [c, a]],
      [{ method: 'GPS' }, [d, a]],
      [{ method: 'GPS', userId: wang.id }, [d]],
      [{ from: b.checkedInAt }, [d, c, b]],
      [{ to: b.checkedInAt }, [b, a]],
      [{ from: b.checkedInAt, to: c.checkedInAt }, [c, b]],
      [{ from: d.checkedInAt + 1 }, []],
      [{ from: c.checkedInAt, to: b.checkedInAt }, []],
      [{ from: new Date(c.checkedInAt).toISOString() }, [d, c]],
      [{ keyword: 'LIN' }, [c, a]],
      [{ keyword: '小明' }, [d, b]],
      [{ keyword: '%' }, [c, a]],
      [{ keyword: '_' }, []],
      [{ keyword: 'lin', method: 'QR', from: 1 }, [c]],
      [{ keyword: '', method: '', from: '' }, [d, c, b, a]],
    ] as const) {
      const reply = await alice.get(`/api/activities/${activity.id}/check-in/records`, query as never)
      expect([query, idsOf(ok(reply))]).toEqual([query, expected.map(({ id }) => id)])
      expect(reply.data.total).toBe(expected.length)
      // The workbook has the same rows.
      const params = new URLSearchParams(query as never).toString()
      const { bytes } = await workbook(alice, activity, `&${params}`)
      expect([
        query,
        rowsOf(bytes)
          .slice(1)
          .map((row) => row[6]),
      ]).toEqual([query, expected.map(({ id }) => id)])
    }
    expect(ok(await recordsOf(alice, activity, { method: 'GPS', size: 1, page: 2 })).data).toMatchObject({
      items: [{ id: a.id }],
      total: 2,
    })
  })

  test('invalid filters are 400', async () => {
    const activity = await openActivity(server, alice)
    for (const query of [
      { method: 'NFC' },
      { userId: 0 },
      { from: 'soon' },
      { page: 0 },
      { size: 101 },
      { format: 'csv' },
      { format: 'xlsx', tz: 'Mars/Olympus' },
      { keyword: 'x'.repeat(1000) },
    ])
      expect([
        query,
        (await alice.get(`/api/activities/${activity.id}/check-in/records`, query as never)).status,
      ]).toEqual([query, 400])
  })
})

describe.if(inProcess)('long lists', () => {
  const N = 3000
  let activity: { id: number }

  beforeAll(async () => {
    activity = await openActivity(server, alice, UNLIMITED)
    await addMany(server, activity, N, [bob, carol])
  })

  test('pages of a long list hold each check-in once, also while others check in', async () => {
    const before = ok(await recordsOf(alice, activity, { size: 100 })).data
    expect(before.total).toBe(N)
    const seen = new Set<number>()
    for (let page = 1; page <= N / 100; page++)
      for (const id of idsOf(ok(await recordsOf(alice, activity, { page, size: 100 })))) seen.add(id)
    expect(seen.size).toBe(N)
    const { data } = ok(await checkIn(alice, activity))
    expect(ok(await recordsOf(alice, activity, { size: 1 })).data).toMatchObject({
      total: N + 1,
      items: [{ id: data.id }],
    })
    expect(ok(await recordsOf(alice, activity, { size: 1, page: N + 1 })).data.items).toHaveLength(1)
    expect(ok(await recordsOf(alice, activity, { userId: carol.id })).data.total).toBe(N / 2)
    expect(ok(await recordsOf(alice, activity, { method: 'GPS' })).data.total).toBe(N / 3)
  })
})

describe.if(inProcess)('workbooks', () => {
  test('a workbook has the cells of the records, with times in the requested zone', async () => {
    const activity = await openActivity(server, alice, UNLIMITED)
    await addMany(server, activity, 1, [bob])
    const nickname = '=HYPERLINK("https://evil.example";"x")'
    await server.ctx.db.write('test', (tx) => tx.update(users).set({ nickname }).where(eq(users.id, bob.id)))
    const [record] = ok(await recordsOf(alice, activity)).data.items
    const { response, bytes } = await workbook(alice, activity, '&tz=Asia/Kathmandu')
    expect(response.headers.get('content-type')).toBe(
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    )
    expect(response.headers.get('content-disposition')).toMatch(
      new RegExp(`^attachment; filename="check-ins-${activity.id}-\\d{8}\\.xlsx"$`),
    )
    expect(response.headers.get('cache-control')).toBe('no-store')
    const [titles, cells] = rowsOf(bytes)
    expect(titles).toEqual(['Time (Asia/Kathmandu)', 'Name', 'User ID', 'Check-in no.', 'Method', 'Distance (m)', 'ID'])
    const [time, ...others] = cells!
    expect(others).toEqual([nickname, bob.id, 1, 'Position', 0, record!.id])
    // Cells hold fractions of days, which SheetJS reads with an error of a millisecond.
    const local = Math.floor(record!.checkedInAt / 1000) + 5.75 * 3600
    expect(Math.round(Number(time) / 1000)).toBe(local)
    const cell = sheetOf(bytes)['B2'] as XLSX.CellObject
    expect([cell.t, cell.f]).toEqual(['s', undefined])
    expect(bookOf(bytes).SheetNames[0]).toBe('Check-ins')

    const chinese = (await workbook(alice, activity, '', 'zh-CN')).bytes
    expect(bookOf(chinese).SheetNames[0]).toBe('签到记录')
    expect(rowsOf(chinese)[1]?.[4]).toBe('定位')
  })

  test('a workbook without matches has the titles only, and users who manage nothing get their own rows', async () => {
    const activity = await openActivity(server, alice, UNLIMITED)
    ok(await checkIn(bob, activity))
    const { data: own } = ok(await checkIn(carol, activity))
    expect(rowsOf((await workbook(alice, activity, '&method=GPS')).bytes)).toHaveLength(1)
    expect(
      rowsOf((await workbook(carol, activity)).bytes)
        .slice(1)
        .map((row) => row[6]),
    ).toEqual([own.id])
    expect(rowsOf((await workbook(carol, activity, `&userId=${bob.id}`)).bytes)).toHaveLength(1)
  })

  test('a workbook of 100,000 check-ins is read while it is sent, 250 rows at a time', async () => {
    const N = 100_000
    const activity = await openActivity(server, alice, UNLIMITED)
    await addMany(server, activity, N, [bob, carol])
    ok(await recordsOf(alice, activity))
    const { runner } = server.ctx.db.read as unknown as { runner: Runner }
    const { rows } = runner
    let largest = 0
    let reads = 0
    runner.rows = ((sql, params) => {
      const result = rows.call(runner, sql, params)
      if (!sql.includes('case when 1 = 1')) return result
      reads += 1
      const note = <T extends unknown[]>(found: T) => {
        largest = Math.max(largest, found.length)
        return found
      }
      return result instanceof Promise ? result.then(note) : note(result)
    }) as Runner['rows']
    const pieces: Uint8Array[] = []
    let between = 0
    try {
      // Without sockets, whose buffers would hold all of it.
      const viewer = { userId: alice.id, orgId: 0 }
      const caller = { ip: '127.0.0.1' }
      const query = { page: 1, size: 20, tz: 'UTC' }
      const { body } = await exportRecords(server.ctx, activity.id, query, { viewer, caller }, { locale: 'en' })
      let before = 0
      for await (const piece of body!) {
        pieces.push(piece)
        between = Math.max(between, reads - before)
        before = reads
      }
    } finally {
      runner.rows = rows
    }
    expect([reads, largest]).toEqual([N / 250 + 1, 250])
    expect(between).toBeLessThan(N / 250 / 4)
    const xml = new TextDecoder().decode(unzipSync(Buffer.concat(pieces))['xl/worksheets/sheet1.xml'])
    expect(xml.split('<row ').length - 1).toBe(N + 1)
  })
})
