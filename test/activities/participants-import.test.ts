/** Participants from a spreadsheet. */

import { afterAll, describe, expect, test } from 'bun:test'

import type { ParticipantsImported } from '#domains/activities/importing/importing.model.ts'

import { newEmail } from '../accounts/helpers.ts'
import { type Cells, csv, xlsx } from '../assets/sheets.ts'
import { ok, type Person, race, startGateways, until, useServer } from '../harness/index.ts'
import { setStatus } from './helpers.ts'
import { cancel, expectSound, list, openActivity, register } from './registering.ts'

const gateways = await startGateways()
afterAll(gateways.stop)
const { server, host, alice, bob, mallory } = useServer({
  people: ['host', 'alice', 'bob', 'mallory'],
  config: gateways.config,
})

type Some = { readonly id: number }
type File = Cells[] | Uint8Array<ArrayBuffer>

function send(manager: Person, { id }: Some, file: File, fields: object = {}, headers: Record<string, string> = {}) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields))
    form.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  form.set('file', new File([Array.isArray(file) ? csv(file) : file], 'people'))
  return manager.send('POST', `/api/activities/${id}/registrations/import`, { body: form, headers })
}
const imported = async (...input: Parameters<typeof send>): Promise<ParticipantsImported> =>
  ok(await send(...input)).data
/** `5 E-mail: is not an e-mail address` */
const errorsOf = async (activity: Some, file: File, fields: object = {}): Promise<string[]> => {
  const { errors } = await imported(host, activity, file, { dryRun: true, ...fields })
  return errors.map(({ row, column, message }) => `${row} ${column}: ${message}`)
}
const numbersOf = ({ total, created, updated, unchanged, errorCount }: ParticipantsImported) =>
  `${total}: ${created} new, ${updated} changed, ${unchanged} unchanged, ${errorCount} errors`

/** All pages, by name. */
async function everybody(activity: Some) {
  const items = []
  for (let page = 1; ; page++) {
    const found = await list(host, activity, { page, size: 100, sort: 'name' })
    items.push(...found.items)
    if (items.length >= found.total) return items
  }
}
/** `Ann CONFIRMED`, by name. */
const statesOf = async (activity: Some): Promise<string[]> =>
  (await everybody(activity)).map(({ nickname, status }) => `${nickname} ${status}`)
const table = async (activity: Some, query: object): Promise<Uint8Array<ArrayBuffer>> => {
  const response = await fetch(
    `${server.url}/api/activities/${activity.id}/registrations?${new URLSearchParams({ notes: 'true', ...query })}`,
    { headers: { authorization: `Bearer ${host.token}`, 'x-device-id': host.deviceId } },
  )
  expect(response.status).toBe(200)
  return new Uint8Array(await response.arrayBuffer())
}
const confirmed = async (activity: Some) =>
  ok(await host.call('activities.get', { params: { id: activity.id } })).data.stats!.registrations

const questions = [
  { key: 'size', label: 'Size of the T-shirt', required: true },
  { key: 'food', label: '忌口' },
]

describe('an import of participants', () => {
  test('finds the headings in both languages below a title, and adds guests', async () => {
    const activity = await openActivity(server, host, { questions, waitlist: true, capacity: 5 })
    const [first, second] = [newEmail(), newEmail()]
    const file = xlsx({
      Liste: [
        ['Harvest festival: participants', null, null, null, null, null, null],
        ['姓名', 'E-Mail', 'Status', '语言', 'size', '忌口', 'Remarks', 'Seat'],
        ['Lin Mei', first.toUpperCase(), '候补', '中文', 'M', '花生\n牛奶', 'VIP', 7],
        ['Bo', second, null, 'English', 42, null, null, null],
        ['Cy', null, 'waiting', null, null, null, null, null],
      ],
    })
    const dry = await imported(host, activity, file, { dryRun: true })
    expect(numbersOf(dry)).toBe('3: 3 new, 0 changed, 0 unchanged, 0 errors')
    expect(dry.columns.map(({ key }) => key)).toEqual([
      'name',
      'email',
      'status',
      'language',
      'answers.size',
      'answers.food',
      'note',
      null,
    ])
    expect(dry.preview[0]).toMatchObject({ row: 3, action: 'CREATE' })
    expect(await statesOf(activity)).toEqual([])
    expect(numbersOf(await imported(host, activity, file))).toBe('3: 3 new, 0 changed, 0 unchanged, 0 errors')
    const items = await everybody(activity)
    expect(items).toMatchObject([
      { nickname: 'Bo', status: 'CONFIRMED', email: second, answers: { size: '42' }, note: '' },
      { nickname: 'Cy', status: 'WAITING', email: null, answers: {} },
      { nickname: 'Lin Mei', status: 'WAITING', email: first, note: 'VIP', answers: { size: 'M', food: '花生\n牛奶' } },
    ])
    for (const { source, userId } of items) expect([source, userId]).toEqual(['IMPORT', null])
    expect(items[2]!.guest).toEqual({ name: 'Lin Mei', email: first, language: 'zh', confirmedAt: null })
    expect(await confirmed(activity)).toEqual({ confirmed: 1, waiting: 2 })
  })

  test('changes the guest of a known address, and takes a row without address for a new person', async () => {
    const activity = await openActivity(server, host, { questions })
    const email = newEmail()
    await imported(host, activity, [
      ['Name', 'E-mail', 'Size of the T-shirt', 'Note'],
      ['Ann', email, 'M', 'Singer'],
      ['Ben', null, 'S', null],
    ])
    // Empty cells and absent columns change nothing.
    const file = [
      ['Name', 'E-mail', 'Size of the T-shirt', '忌口'],
      [null, email.toUpperCase(), 'XL', null],
      ['Ben', null, 'S', null],
    ]
    expect(numbersOf(await imported(host, activity, file))).toBe('2: 1 new, 1 changed, 0 unchanged, 0 errors')
    const items = await everybody(activity)
    expect(items.map(({ nickname }) => nickname)).toEqual(['Ann', 'Ben', 'Ben'])
    expect(items[0]).toMatchObject({ answers: { size: 'XL' }, note: 'Singer', source: 'IMPORT' })
  })

  test('does not look for accounts', async () => {
    const activity = await openActivity(server, host, {})
    for (const person of [alice, bob]) ok(await register(person, activity))
    const { nickname } = ok(await alice.call('profile.get')).data
    expect(numbersOf(await imported(host, activity, [['Name'], [nickname]]))).toContain('1 new')
    expect((await list(host, activity, { guest: true })).items).toMatchObject([{ nickname, userId: null }])
    // A table of the activity shows the users, and leaves them as they are.
    const again = await imported(host, activity, await table(activity, { format: 'csv', lang: 'en' }))
    expect(numbersOf(again)).toBe('3: 1 new, 0 changed, 2 unchanged, 0 errors')
    // Without the column that tells them apart, they are people like any other.
    const mapping = { Source: null }
    const other = await openActivity(server, host, {})
    const copied = await imported(host, other, await table(activity, { format: 'csv', lang: 'en' }), { mapping })
    expect(numbersOf(copied)).toBe('4: 4 new, 0 changed, 0 unchanged, 0 errors')
  })

  test('changes the status, gives up places before it takes others, and lets people move up', async () => {
    const activity = await openActivity(
      server,
      host,
      { waitlist: true, capacity: 2 },
      { hasPass: true, passConfig: { autoIssue: true } },
    )
    const [ann, ben, cid] = [newEmail(), newEmail(), newEmail()]
    const rows = (...statuses: (string | null)[]): Cells[] => [
      ['Name', 'E-mail', 'Status'],
      ...[ann, ben, cid].map((email, i) => [['Ann', 'Ben', 'Cid'][i]!, email, statuses[i]!]),
    ]
    await imported(host, activity, rows(null, null, 'Waiting'))
    const passes = async () =>
      ok(await host.call('passes.list', { params: { id: activity.id } })).data.items.map(
        ({ holderName, status }) => `${holderName} ${status}`,
      )
    expect((await passes()).toSorted()).toEqual(['Ann ISSUED', 'Ben ISSUED'])
    expect(await errorsOf(activity, rows(null, null, 'Confirmed'))).toEqual([
      '4 Status: gets no place (free places: 0): put the row on the waiting list, or allow more people than there are places',
    ])
    expect((await send(host, activity, rows(null, null, 'Confirmed'))).status).toBe(400)
    await imported(host, activity, rows('Rejected', null, 'Confirmed'))
    expect(await statesOf(activity)).toEqual(['Ann REJECTED', 'Ben CONFIRMED', 'Cid CONFIRMED'])
    expect((await passes()).toSorted()).toEqual(['Ann REVOKED', 'Ben ISSUED', 'Cid ISSUED'])
    expect(await errorsOf(activity, rows('Cancelled', null, null))).toEqual([
      '2 Status: cannot become Cancelled: the guest is Rejected',
    ])
    await imported(host, activity, rows('Waiting', null, null))
    await imported(host, activity, rows(null, 'Cancelled', null))
    expect(await statesOf(activity)).toEqual(['Ann CONFIRMED', 'Ben CANCELLED', 'Cid CONFIRMED'])
    await expectSound(host, activity, 2)
    await imported(host, activity, rows(null, 'Confirmed', null), { overCapacity: true })
    expect(await confirmed(activity)).toEqual({ confirmed: 3, waiting: 0 })
  })

  test('takes an address for a claim: only guests who have confirmed theirs are mailed', async () => {
    const activity = await openActivity(server, host, { guests: true })
    const [claimed, proved] = [newEmail(), newEmail()]
    const form = { 'content-type': 'application/json', accept: 'application/json' }
    const { formToken } = ok(await server.request('GET', `/public/activities/${activity.uuid}/guests/form`)).data
    await Bun.sleep(2100)
    const body = { name: 'Pia', email: proved, language: 'en', formToken }
    ok(await server.request('POST', `/public/activities/${activity.uuid}/guests`, { body, headers: form }))
    const secret = /\/s\/registration\/([\w-]+)/.exec((await gateways.mailFor(proved)).text)![1]!
    const confirm = { body: { action: 'confirm' }, headers: form }
    ok(await server.request('POST', `/s/registration/${secret}`, confirm))
    const file = [
      ['Name', 'E-mail', 'Status'],
      ['Claire', claimed, 'Confirmed'],
      ['Pia', proved, 'Waiting'],
    ]
    await imported(host, activity, file, { notify: true })
    const sentTo = async (name: string) => {
      const { items } = await list(host, activity, { keyword: name })
      const { sent } = ok(await host.call('registrations.getAny', { params: { registrationId: items[0]!.id } })).data
      return sent.map(({ kind, channel, state, reason }) => `${kind} ${channel} ${state} ${reason}`)
    }
    expect(await sentTo('Claire')).toEqual(['CONFIRMED EMAIL SKIPPED NO_ADDRESS'])
    await until(async () => (await sentTo('Pia')).includes('WAITING EMAIL SENT null'))
    expect(gateways.mails.filter(({ to }) => to === claimed)).toEqual([])
  })

  test('writes nothing if one of 5,000 rows is wrong, and refuses one row more', async () => {
    const activity = await openActivity(server, host, { questions })
    const rows: Cells[] = Array.from({ length: 5000 }, (_, i) => [`Guest ${i}`, `g${i}@example.org`, 'M'])
    const head = ['Name', 'E-mail', 'Size of the T-shirt']
    const wrong = rows.with(4321, ['Guest', 'not an address', 'M'])
    expect(await errorsOf(activity, [head, ...wrong])).toEqual(['4323 E-mail: is not an e-mail address'])
    const refused = await send(host, activity, [head, ...wrong])
    expect([refused.status, refused.details]).toEqual([
      400,
      [{ path: 'rows.4323.email', message: 'is not an e-mail address' }],
    ])
    expect((await list(host, activity)).total).toBe(0)
    const tooMany = await send(host, activity, [head, ...rows, ['One more', null, 'M']])
    expect([tooMany.status, tooMany.message]).toEqual([400, 'The sheet has more than 5000 rows'])
    expect(numbersOf(await imported(host, activity, [head, ...rows]))).toContain('5000 new')
    expect(numbersOf(await imported(host, activity, [head, ...rows]))).toContain('5000 unchanged')
    expect(await confirmed(activity)).toEqual({ confirmed: 5000, waiting: 0 })
  })

  test('names the row and column of each error', async () => {
    const activity = await openActivity(server, host, { questions })
    const file = [
      ['Name', 'E-mail', 'Status', 'Language', 'Size of the T-shirt', 'Note'],
      ['A', 'twice@example.org', null, null, 'M', null],
      ['B', 'TWICE@example.org', null, null, 'M', null],
      ['C', 'c@', null, null, 'M', null],
      [null, 'd@example.org', null, null, 'M', null],
      ['E', null, 'PENDING', null, 'M', null],
      ['F', null, 'Perhaps', null, 'M', null],
      ['G', null, null, 'Klingon', 'M', null],
      ['H', null, null, null, 'M'.repeat(1001), null],
      ['I', null, null, null, 'M', 'N'.repeat(2001)],
      ['J'.repeat(101), null, null, null, 'M', null],
      ['K', null, 'Cancelled', null, 'M', null],
      ['L', null, null, null, null, null],
    ]
    expect(await errorsOf(activity, file)).toEqual([
      '3 E-mail: is also the address of row 2',
      '4 E-mail: is not an e-mail address',
      '5 Name: is required for a new participant',
      '6 Status: must be Confirmed or Waiting for a new participant',
      '7 Status: must be Confirmed, Waiting, Rejected or Cancelled',
      '8 Language: must be en or zh',
      '9 Size of the T-shirt: must have at most 1000 characters',
      '10 Note: must have at most 2000 characters',
      '11 Name: must have at most 100 characters',
    ])
    expect((await send(host, activity, file)).status).toBe(400)
    const chinese = await send(host, activity, file, { dryRun: true }, { 'accept-language': 'zh-CN' })
    expect(ok(chinese).data.errors[0].message).toBe('与第 2 行的邮箱重复')
    expect((await list(host, activity)).total).toBe(0)
  })

  test('refuses files and mappings that it cannot understand', async () => {
    const activity = await openActivity(server, host, { questions })
    const people = [
      ['Wer', 'Größe'],
      ['Ann', 'M'],
    ]
    expect(await errorsOf(activity, people)).toEqual([
      '1 null: The sheet has no column for the name, which new participants need: choose which of its columns is the name',
    ])
    const cases: [File, object, number][] = [
      [people, {}, 400],
      [people, { mapping: 'no object' }, 400],
      [people, { mapping: { Wer: 'surname' } }, 400],
      [people, { mapping: { Wer: 'answers.unknown' } }, 400],
      [people, { mapping: { Wer: 'name', Größe: 'name' } }, 400],
      [
        [
          ['Name', 'Name'],
          ['Ann', 'Bo'],
        ],
        {},
        400,
      ],
      [new Uint8Array([0x50, 0x4b, 3, 4, 0, 0, 0, 0]), {}, 400],
      [new TextEncoder().encode('<html>'), {}, 415],
      [new Uint8Array(), {}, 400],
    ]
    for (const [file, fields, status] of cases)
      expect((await send(host, activity, file, fields)).status, JSON.stringify(fields)).toBe(status)
    expect((await list(host, activity)).total).toBe(0)
    const mapping = { Wer: 'name', Größe: 'answers.size' }
    expect(numbersOf(await imported(host, activity, people, { mapping }))).toContain('1 new')
    expect((await list(host, activity)).items).toMatchObject([{ nickname: 'Ann', answers: { size: 'M' } }])
  })

  test('is for managers of an active activity with registration', async () => {
    const activity = await openActivity(server, host, {}, { visibility: 'INVITE_ONLY' })
    const file = [['Name'], ['Ann']]
    expect((await send(mallory, activity, file)).status).toBe(403)
    expect((await send(host, { id: 999_999_999 }, file)).status).toBe(404)
    const form = new FormData()
    form.set('file', new File([csv(file)], 'people'))
    const path = `/api/activities/${activity.id}/registrations/import`
    expect((await server.request('POST', path, { body: form })).status).toBe(401)
    expect((await host.send('POST', path, { body: new FormData() })).status).toBe(400)
    expect((await list(host, activity)).total).toBe(0)
    await setStatus(host, activity.id, 'ENDED')
    expect((await send(host, activity, file)).status).toBe(400)
    const closed = await openActivity(server, host, null)
    expect((await send(host, closed, file)).message).toBe('This activity has no registration')
  })

  test('and 20 visitors at once take exactly the places that there are', async () => {
    const activity = await openActivity(server, host, { capacity: 30, waitlist: true })
    const visitors = await Promise.all(Array.from({ length: 20 }, () => server.person()))
    const file: Cells[] = [['Name', 'E-mail'], ...Array.from({ length: 20 }, (_, i) => [`Guest ${i}`, newEmail()])]
    const answers = await race(21, (i) =>
      i === 10 ? send(host, activity, file) : register(visitors[i % 20]!, activity),
    )
    const { status } = answers[10]!
    const { total } = await list(host, activity, { guest: true })
    expect([200, 400]).toContain(status)
    expect(total).toBe(status === 200 ? 20 : 0)
    const { confirmed: taken } = (await confirmed(activity))!
    expect(taken).toBe(status === 200 ? 30 : 19)
    for (const visitor of visitors) await cancel(visitor, activity)
    await expectSound(host, activity, 30)
  })
})

/** Answers as people type them: line breaks, formulas, quotes, emoji, long numbers, separators, spaces and zeros. */
const TYPED = [
  'Line 1\nLine 2\n\nLine 4',
  "=cmd|' /C calc'!A0",
  '"quoted", with comma; and semicolon',
  '😀👩‍👩‍👧‍👦🇨🇳',
  '123456789012345678901234567890',
  '007',
  '+86 138 0013 8000',
  "-1+1 'x'",
  "'=1",
  '@SUM(A1)',
  '2026-03-08',
  '1/2',
  'TRUE',
  '1e5',
  '＝全角\t制表',
  'a\r\nb',
  '_x0041_ & <b> ]]>',
  '#N/A',
]
const MANY = 800

describe('the table of 800 participants', () => {
  const asked = [
    { key: 'a', label: 'Answer' },
    // The names of columns that the table has too.
    { key: 'b', label: 'Note' },
    { key: 'c', label: 'Pass' },
    { key: 'd', label: '😀' },
  ]
  const answersOf = (i: number) => ({
    a: `${TYPED[i % TYPED.length]!}`,
    b: `${TYPED[(i + 1) % TYPED.length]!}${i}`,
    c: `${i}`,
    ...(i % 3 === 0 && { d: TYPED[(i + 2) % TYPED.length]! }),
  })

  test('is imported again unchanged, and as it is into another activity', async () => {
    const activity = await openActivity(server, host, { questions: asked, waitlist: true })
    for (let at = 0; at < MANY; at += 400)
      ok(
        await host.call('registrations.add', {
          params: { id: activity.id },
          body: {
            notify: false,
            items: Array.from({ length: 400 }, (_, i) => ({
              name: `=Guest "${String(at + i).padStart(4, '0')}"`,
              email: `guest${at + i}@example.org`,
              answers: answersOf(at + i),
              note: i % 2 === 0 ? TYPED[i % TYPED.length]! : '',
              status: i % 4 === 0 ? ('WAITING' as const) : ('CONFIRMED' as const),
              language: i % 5 === 0 ? ('zh' as const) : null,
            })),
          },
        }),
      )
    const before = await everybody(activity)
    const seen = ({ nickname, email, status, answers, note, guest }: (typeof before)[number]) => {
      const unified = Object.entries(answers).map(([key, text]) => [key, text.replaceAll('\r\n', '\n')])
      return {
        nickname,
        email,
        status,
        note: note!.replaceAll('\r\n', '\n'),
        language: guest!.language,
        answers: Object.fromEntries(unified),
      }
    }
    for (const [format, lang] of [
      ['xlsx', 'en'],
      ['csv', 'zh'],
      ['xlsx', 'zh'],
      ['csv', 'en'],
    ] as const) {
      const file = await table(activity, { format, lang })
      const again = await imported(host, activity, file)
      expect(`${format} ${numbersOf(again)}`).toBe(`${format} ${MANY}: 0 new, 0 changed, ${MANY} unchanged, 0 errors`)
      const other = await openActivity(server, host, { questions: asked, waitlist: true })
      expect(numbersOf(await imported(host, other, file))).toContain(`${MANY} new`)
      expect((await everybody(other)).map(seen)).toEqual(before.map(seen))
    }
    expect(await everybody(activity)).toEqual(before)
  })
})
