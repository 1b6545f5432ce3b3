/** The participants of an activity as a table. */

import { beforeAll, describe, expect, test } from 'bun:test'

import * as XLSX from '@e965/xlsx'

import type { ActivityView } from '#domains/activities/register/register.model.ts'

import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { checkIn } from './check-in-helpers.ts'
import { update } from './helpers.ts'
import { issued } from './pass-helpers.ts'
import { addRegistrations, cancel, openActivity, register } from './registering.ts'

const { server, host, alice, bob, carol } = useServer({ people: ['host', 'alice', 'bob', 'carol'], noAdmin: true })

async function file(person: Person, { id }: { readonly id: number }, query: Record<string, string>, language = 'en') {
  const headers = {
    authorization: `Bearer ${person.token}`,
    'x-device-id': person.deviceId,
    'accept-language': language,
  }
  const response = await fetch(`${server.url}/api/activities/${id}/registrations?${new URLSearchParams(query)}`, {
    headers,
  })
  return { response, bytes: new Uint8Array(await response.arrayBuffer()) }
}

/** The rows of the workbook, and the name of its sheet. */
async function workbook(person: Person, activity: { readonly id: number }, query = {}, language = 'en') {
  const { bytes } = await file(person, activity, { format: 'xlsx', ...query }, language)
  const book = XLSX.read(bytes, { type: 'buffer', cellDates: true, UTC: true })
  const name = book.SheetNames[0]!
  const rows: unknown[][] = XLSX.utils.sheet_to_json(book.Sheets[name]!, { header: 1, defval: null, UTC: true })
  return { name, rows }
}

const questions = [
  { key: 'size', label: 'Size of the T-shirt' },
  { key: 'note', label: 'Anything else?' },
]
const ANSWERS = { size: '=1+1', note: 'Line 1\nLine 2, "quoted" 😀' }

describe('the table of participants', () => {
  let activity: ActivityView

  beforeAll(async () => {
    const fields = { hasPass: true, hasCheckIn: true, timeZone: 'Asia/Kathmandu' }
    activity = await openActivity(server, host, { capacity: 1, waitlist: true, questions }, fields)
    ok(await register(alice, activity, { answers: ANSWERS }))
    for (const person of [bob, carol]) ok(await register(person, activity))
    await issued(host, activity.id, { toRegistered: true })
    ok(await checkIn(alice, activity))
  })

  test('has a row for each registration with pass, check-in and answers, in the zone of the activity', async () => {
    const { name, rows } = await workbook(host, activity)
    const [pass] = ok(await host.call('passes.list', { params: { id: activity.id } })).data.items
    const names = [carol, bob, alice].map(async (person) => ok(await person.call('profile.get')).data.nickname)
    const [third, second, first] = await Promise.all(names)
    expect(name).toBe('Participants Asia-Kathmandu')
    expect(rows[0]).toEqual([
      'Name',
      'Status',
      'Position',
      'Source',
      'E-mail',
      'Language',
      'Registered (Asia/Kathmandu)',
      'Confirmed on (Asia/Kathmandu)',
      'Pass no.',
      'Pass',
      'First check-in (Asia/Kathmandu)',
      'Admissions',
      'Size of the T-shirt',
      'Anything else?',
    ])
    const time = expect.any(Date)
    expect(rows.slice(1)).toEqual([
      [third, 'Waiting', 2, 'Account', null, null, time, null, null, null, null, null, null, null],
      [second, 'Waiting', 1, 'Account', null, null, time, null, null, null, null, null, null, null],
      [
        first,
        'Confirmed',
        null,
        'Account',
        null,
        null,
        time,
        time,
        pass!.id,
        'Issued',
        time,
        0,
        ANSWERS.size,
        ANSWERS.note,
      ],
    ])
    // Kathmandu is 5:45 ahead of UTC.
    const moved = (rows[3]![6] as Date).getTime() - server.clock.now()
    if (inProcess) expect(Math.round(moved / 60_000)).toBe(345)
  })

  test('follows status, keyword and order of the list, and keeps positions', async () => {
    const nickname = ok(await carol.call('profile.get')).data.nickname
    const cells = async (query: object) =>
      (await workbook(host, activity, query)).rows.slice(1).map((row) => [row[0], row[2]])
    expect(await cells({ keyword: nickname })).toEqual([[nickname, 2]])
    expect((await cells({ sort: 'createdAt', status: 'WAITING' })).map(([, position]) => position)).toEqual([1, 2])
    expect((await cells({ status: 'CONFIRMED' })).map(([, position]) => position)).toEqual([null])
    expect(await cells({ status: 'CANCELLED' })).toEqual([])
  })

  test('is also CSV, in a language and zone that are asked for', async () => {
    const { response, bytes } = await file(host, activity, {
      format: 'csv',
      lang: 'zh',
      tz: '+08:00',
      sort: 'createdAt',
    })
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toMatch(/filename="participants-\d{8}-\+0800\.csv"/)
    const [titles, row] = new TextDecoder().decode(bytes).split('\r\n')
    expect(titles).toContain('姓名,状态,候补位次,来源,邮箱,语言,报名时间（UTC+08:00）')
    expect(row).toMatch(/,已报名,,账号,,,\d{4}-\d\d-\d\d \d\d:\d\d,\d{4}-\d\d-\d\d \d\d:\d\d,/)
    // A formula stays a text, in workbooks by the type of the cell.
    expect(row).toContain(`'=1+1`)
  })

  test('ends with the answers to questions that are no longer asked', async () => {
    const asked = await openActivity(server, host, { questions }, { timeZone: 'Europe/Berlin' })
    ok(await register(alice, asked, { answers: ANSWERS }))
    ok(await update(host, asked.id, { registration: { questions: [{ key: 'diet', label: 'Diet' }] } }))
    ok(await register(bob, asked, { answers: { diet: 'vegan' } }))
    const { name, rows } = await workbook(host, asked, { sort: 'createdAt' }, 'zh-CN')
    expect(name).toBe('参与者 Europe-Berlin')
    expect(rows.map((row) => row.slice(12))).toEqual([
      ['Diet', 'note', 'size'],
      [null, ANSWERS.note, ANSWERS.size],
      ['vegan', null, null],
    ])
  })

  test('shows the live pass, and without one the last', async () => {
    const held = await openActivity(server, host, {}, { hasPass: true })
    for (const person of [alice, bob]) ok(await register(person, held))
    const passes = await issued(host, held.id, { toRegistered: true })
    for (const { id } of passes) ok(await host.call('passes.revoke', { params: { passId: id }, body: {} }))
    const [again] = await issued(host, held.id, { userId: alice.id })
    ok(await cancel(bob, held))
    const { rows } = await workbook(host, held, { sort: 'createdAt' })
    const ofBob = passes.find(({ holderUserId }) => holderUserId === bob.id)!
    expect(rows.slice(1).map((row) => [row[1], row[8], row[9]])).toEqual([
      ['Confirmed', again!.id, 'Issued'],
      ['Cancelled', ofBob.id, 'Revoked'],
    ])
  })

  test('is for managers only', async () => {
    expect((await file(bob, activity, { format: 'xlsx' })).response.status).toBe(403)
    expect((await file({ ...bob, token: 'x' }, activity, { format: 'xlsx' })).response.status).toBe(401)
    expect((await file(host, { id: 999_999 }, { format: 'xlsx' })).response.status).toBe(404)
    const wrong: Record<string, string>[] = [
      { format: 'pdf' },
      { format: 'xlsx', tz: 'Mars/Base' },
      { format: 'csv', lang: 'fr' },
    ]
    for (const query of wrong) expect((await file(host, activity, query)).response.status).toBe(400)
  })

  test.if(inProcess)('keeps its positions over many reads', async () => {
    const full = await openActivity(server, host, { capacity: 1, waitlist: true })
    await addRegistrations(server, full.id, ['CONFIRMED', ...Array<'WAITING'>(600).fill('WAITING')])
    const positions = (await workbook(host, full, { sort: 'createdAt' })).rows.slice(2).map((row) => row[2])
    expect(positions).toEqual(Array.from({ length: 600 }, (_, i) => i + 1))
    const newest = (await workbook(host, full)).rows.slice(1, -1).map((row) => row[2])
    expect(newest).toEqual(positions.toReversed())
  })
})
