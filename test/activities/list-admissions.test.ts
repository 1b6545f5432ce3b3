/** Who was admitted to which check-in list: in the filter of the list of participants, and in their table. */

import { beforeAll, describe, expect, test } from 'bun:test'

import * as XLSX from '@e965/xlsx'

import type { ActivityView } from '#domains/activities/register/register.model.ts'

import { ok, type Person, until, useServer } from '../harness/index.ts'
import { nonce, redeemed } from './gate-helpers.ts'
import { sent } from './message-helpers.ts'
import { issued } from './pass-helpers.ts'
import { list, openActivity, register } from './registering.ts'

const { server, host, alice, bob, carol } = useServer({ people: ['host', 'alice', 'bob', 'carol'], noAdmin: true })

const HOSTILE = '=HYPERLINK("https://evil.example")'
let activity: ActivityView
/** Lunch, a list with a hostile name, and two that are deleted, of which the first has an admission. */
let lists: { id: number; name: string }[]

const addList = async (name: string) =>
  ok(await host.call('checkInLists.create', { params: { id: activity.id }, body: { name, maxUses: 0 } })).data
const names = async (query: object) =>
  (await list(host, activity, { ...query, size: 100 })).items.map((one) => one.userId)
const table = async (query: Record<string, string> = {}) => {
  const response = await fetch(
    `${server.url}/api/activities/${activity.id}/registrations?${new URLSearchParams({ format: 'xlsx', sort: 'createdAt', ...query })}`,
    { headers: { authorization: `Bearer ${host.token}`, 'x-device-id': host.deviceId, 'accept-language': 'en' } },
  )
  expect(response.status).toBe(200)
  const book = XLSX.read(new Uint8Array(await response.arrayBuffer()), { type: 'buffer' })
  const sheet = book.Sheets[book.SheetNames[0]!]!
  const cells = Object.values(sheet).filter((cell) => typeof cell === 'object' && cell !== null && 'f' in cell)
  return { rows: XLSX.utils.sheet_to_json<unknown[]>(sheet, { header: 1, defval: null }), formulas: cells.length }
}

beforeAll(async () => {
  activity = await openActivity(server, host, {}, { hasPass: true })
  for (const person of [alice, bob, carol]) ok(await register(person, activity))
  const { items } = ok(
    await host.call('registrations.add', { params: { id: activity.id }, body: { items: [{ name: 'Guest' }] } }),
  ).data
  const passes = await issued(host, activity.id, { toRegistered: true })
  const guestsPass = passes.find(({ holderUserId }) => holderUserId === null)!
  expect(items).toHaveLength(1)
  const passOf = (person: Person) => passes.find(({ holderUserId }) => holderUserId === person.id)!
  lists = []
  for (const name of ['Lunch', HOSTILE, 'Tour', 'Empty']) lists.push(await addList(name))
  const enter = async (pass: { qrContent: string | null }, listId?: number) =>
    expect(
      await redeemed(host, activity.id, { content: pass.qrContent!, nonce: nonce(), ...(listId && { listId }) }),
    ).toMatchObject({ valid: true })
  await enter(passOf(alice), lists[0]!.id)
  await enter(passOf(alice), lists[0]!.id)
  await enter(guestsPass, lists[0]!.id)
  await enter(passOf(bob), lists[1]!.id)
  await enter(passOf(carol), lists[2]!.id)
  await enter(passOf(carol))
  for (const { id } of lists.slice(2))
    ok(await host.call('checkInLists.delete', { params: { id: activity.id, listId: id } }))
  // Admissions with an earlier pass count too.
  ok(await host.call('passes.revoke', { params: { passId: passOf(bob).id }, body: {} }))
  await issued(host, activity.id, { userId: bob.id })
})

describe('the table of participants', () => {
  test('has a column for each check-in list, at last deleted ones with admissions', async () => {
    const { rows, formulas } = await table()
    expect(rows[0]!.slice(11)).toEqual([
      'Admissions',
      'Admissions: Lunch',
      `Admissions: ${HOSTILE}`,
      'Admissions: Tour',
    ])
    expect(rows.slice(1).map((row) => row.slice(11))).toEqual([
      [0, 2, null, null],
      [0, null, 1, null],
      [1, null, null, 1],
      [0, 1, null, null],
    ])
    expect(formulas).toBe(0)
  })

  test('is filtered by them, and a CSV has no title that is a formula', async () => {
    const { rows } = await table({ listId: String(lists[0]!.id), admitted: 'false' })
    expect(rows.slice(1).map((row) => row.slice(11))).toEqual([
      [0, null, 1, null],
      [1, null, null, 1],
    ])
    const csv = await host.get(`/api/activities/${activity.id}/registrations`, { format: 'csv', lang: 'zh' })
    expect(ok(csv).text.split('\r\n')[0]).toContain('"入场次数：=HYPERLINK(""https://evil.example"")"')
  })
})

describe('the filter by a check-in list', () => {
  test('finds who was admitted there and who was not', async () => {
    const [lunch, second] = lists.map(({ id }) => id)
    const guest = null
    expect(new Set(await names({ listId: lunch, admitted: true }))).toEqual(new Set([alice.id, guest]))
    expect(new Set(await names({ listId: lunch }))).toEqual(new Set([alice.id, guest]))
    expect(new Set(await names({ listId: lunch, admitted: false }))).toEqual(new Set([bob.id, carol.id]))
    expect(await names({ listId: second, admitted: true, guest: false })).toEqual([bob.id])
    // Without a list it is about the entrance.
    expect(await names({ admitted: true })).toEqual([carol.id])
    expect(new Set(await names({ admitted: false }))).toEqual(new Set([alice.id, bob.id, guest]))
  })

  test('selects the people of a batch and of a message', async () => {
    const filter = { listId: lists[0]!.id, admitted: false }
    const batch = (body: object) => host.post(`/api/activities/${activity.id}/registrations/batch`, body)
    const { data } = ok(await batch({ action: 'CANCEL', filter, dryRun: true }))
    expect(data).toEqual({ matched: 2, changed: 2, unchanged: 0, remaining: 0 })
    const message = await sent(host, activity, { subject: 'Lunch', body: 'There is some left.', filter })
    expect(message.filter).toEqual(filter)
    await until(async () => {
      const { items } = ok(await host.call('activityMessages.list', { params: { id: activity.id } })).data
      return items.find(({ id }) => id === message.id)?.app.sent === 2
    })
  })

  test('is refused for lists of other activities, deleted ones, and values of other types', async () => {
    const other = await openActivity(server, host, {}, { hasPass: true })
    const foreign = ok(await host.call('checkInLists.create', { params: { id: other.id }, body: { name: 'Other' } }))
      .data.id
    const path = `/api/activities/${activity.id}/registrations`
    for (const listId of [foreign, lists[2]!.id, 999_999_999]) {
      const wrong = await host.get(path, { listId: String(listId) })
      expect([wrong.status, wrong.details[0]?.path]).toEqual([400, 'query.listId'])
      expect((await host.get(path, { listId: String(listId), format: 'csv' })).status).toBe(400)
      const batch = await host.post(`${path}/batch`, { action: 'CANCEL', filter: { listId } })
      expect([batch.status, batch.details[0]?.path]).toEqual([400, 'body.filter.listId'])
      const body = { subject: 'x', body: 'y', filter: { listId } }
      const message = await host.post(`/api/activities/${activity.id}/messages`, body)
      expect([message.status, message.details[0]?.path]).toEqual([400, 'body.filter.listId'])
    }
    expect((await host.get(path, { listId: 'x' })).status).toBe(400)
    expect((await host.get(path, { listId: '1', admitted: 'perhaps' })).status).toBe(400)
    expect((await bob.get(path, { listId: String(lists[0]!.id) })).status).toBe(403)
    expect((await server.request('GET', path, { query: { listId: String(lists[0]!.id) } })).status).toBe(401)
  })
})
