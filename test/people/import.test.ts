/** Imports of users, with their slips. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import * as XLSX from '@e965/xlsx'

import type { UsersImported } from '#domains/people/importing/importing.model.ts'

import { findRole, grant } from '../access/helpers.ts'
import { newEmail } from '../accounts/helpers.ts'
import { type Cells, csv, xlsx } from '../assets/sheets.ts'
import { inProcess, ok, type Person, race, startGateways, until, useServer } from '../harness/index.ts'
import { codesOf, readPdf } from '../lib/pdf-files.ts'
import { createOrg, type Org } from '../orgs/helpers.ts'

const gateways = await startGateways()
afterAll(gateways.stop)
const { server, owner, clerk, pupil } = useServer({ people: ['owner', 'clerk', 'pupil'], config: gateways.config })
let admin: Person
let org: Org

beforeAll(async () => {
  admin = await server.admin()
  ok(await grant(admin, clerk, await findRole(admin, 'PLATFORM', 0, 'USER_ADMIN')))
  org = await createOrg(owner, { name: 'Klasse 5b' })
})

type File = Cells[] | Uint8Array<ArrayBuffer>
function send(who: Person, file: File | undefined, fields: object = {}) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields))
    form.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  if (file !== undefined) form.set('file', new File([Array.isArray(file) ? csv(file) : file], 'people'))
  return who.send('POST', '/api/admin/users/import', { body: form })
}
const imported = async (file: File, fields: object = {}, who = admin): Promise<UsersImported> =>
  ok(await send(who, file, fields)).data
const numbersOf = ({ total, created, updated, unchanged, errorCount }: UsersImported) =>
  `${total}: ${created} new, ${updated} changed, ${unchanged} unchanged, ${errorCount} errors`
/** `3 E-mail: is not an e-mail address` */
const errorsOf = async (file: File, fields: object = {}): Promise<string[]> =>
  (await imported(file, { dryRun: true, ...fields })).errors.map(
    ({ row, column, message }) => `${row} ${column}: ${message}`,
  )

let counter = 0
const newName = (): string => `pupil${process.pid}n${String(++counter).padStart(5, '0')}`
const users = async (keyword: string) => ok(await admin.call('admin.users.list', { query: { keyword } })).data.items
const userOf = async (username: string) => (await users(username)).find((user) => user.username === username)
const members = async (to: { id: number }) =>
  ok(await owner.call('orgs.members', { params: { orgId: to.id }, query: { size: 100 } })).data.items
const redeem = (account: string, code: string) =>
  server.request('POST', '/api/auth/password/redeem', {
    body: { account, code, newPassword: 'a password of their own' },
  })
const login = (account: string) =>
  server.request('POST', '/api/auth/login', { body: { account, password: 'a password of their own' } })
const download = (url: string, more = '') => fetch(server.url + new URL(url).pathname + new URL(url).search + more)
async function rowsIn(url: string): Promise<string[][]> {
  const response = await download(url)
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    expect.stringContaining('spreadsheetml'),
  ])
  const { Sheets, SheetNames } = XLSX.read(await response.bytes(), { type: 'array' })
  return XLSX.utils.sheet_to_json<string[]>(Sheets[SheetNames[0]!]!, { header: 1 })
}

describe('a class list', () => {
  test('of 800 with umlauts, Chinese names and doubles is imported whole, and its slips open the accounts once', async () => {
    const school = await createOrg(owner, { name: 'Grüne Schule', memberLimit: 2000 })
    const names = ['Jörg Müßig', '王伟', 'Zoë Łukasz', 'Anna Berg', '李娜']
    const usernames = Array.from({ length: 800 }, newName)
    const rows = usernames.map((username, i): Cells => [
      username,
      names[i % names.length]!,
      school.code,
      i === 0 ? 'Guest' : null,
    ])
    const file = xlsx({ Klasse: [['Benutzername', 'Name', 'Klasse', 'Role'], ...rows] })
    const checked = await imported(file, { dryRun: true })
    expect([numbersOf(checked), checked.sheetUrl]).toEqual(['800: 800 new, 0 changed, 0 unchanged, 0 errors', null])
    expect(checked.preview[1]).toEqual({
      row: 3,
      action: 'CREATE',
      values: [
        { key: 'username', value: usernames[1]! },
        { key: 'nickname', value: '王伟' },
        { key: 'organization', value: school.code },
      ],
    })
    expect(await userOf(usernames[0]!)).toBeUndefined()
    const result = await imported(file)
    expect(numbersOf(result)).toBe('800: 800 new, 0 changed, 0 unchanged, 0 errors')
    expect(ok(await owner.call('orgs.get', { params: { id: school.id } })).data.memberCount).toBe(801)
    expect(await userOf(usernames[1]!)).toMatchObject({ nickname: '王伟', hasPassword: false, roleName: 'User' })

    const pdf = await readPdf(await (await download(result.sheetUrl!, '&format=pdf')).bytes())
    expect(pdf.pages).toHaveLength(80)
    const [head, ...slips] = await rowsIn(result.sheetUrl!)
    for (const [name, username, code] of slips.slice(0, 10))
      for (const text of [name === 'Zoë Łukasz' ? 'Zoë Lukasz' : name!, username!, code!])
        expect(pdf.pages[0]).toContain(text)
    const [scanned] = await codesOf(await pdf.picture(1, 200))
    const [, account, code] = slips[0]!
    expect(scanned!.text).toEndWith(
      `/console/start#${new URLSearchParams({ account: account!, code: code! }).toString()}`,
    )
    expect(head).toEqual(['Name', 'Username', 'Start code', 'Page'])
    expect(slips).toHaveLength(800)
    expect(slips[1]!.slice(0, 2)).toEqual(['王伟', usernames[1]!])
    for (const more of ['', '&format=pdf']) expect((await download(result.sheetUrl!, more)).status).toBe(404)

    ok(await redeem(account!, code!))
    expect((await redeem(account!, code!)).status).toBe(400)
    const signedIn = ok(await login(account!)).data
    expect(signedIn.user.nickname).toBe('Jörg Müßig')
    expect((await members(school)).find(({ userId }) => userId === signedIn.user.id)?.roleCode).toBe('GUEST')

    // The same file again, by two at once.
    const again = await race(2, (i) => imported(file, {}, i === 0 ? admin : clerk))
    for (const one of again)
      expect([numbersOf(one), one.sheetUrl]).toEqual(['800: 0 new, 0 changed, 800 unchanged, 0 errors', null])
    const [log] = ok(await admin.call('operationLog.list', { query: { action: 'USER_IMPORT' } })).data.items
    expect(log!.after).toEqual({ created: 800, updated: 0, unchanged: 0, way: 'START_CODE' })
  }, 120_000)

  test('imported twice at once makes each user once', async () => {
    const usernames = Array.from({ length: 60 }, newName)
    const file = [['username'], ...usernames.map((username): Cells => [username])] as Cells[]
    const results = await race(2, (i) => imported(file, {}, i === 0 ? admin : clerk))
    expect(results.map(({ created }) => created).toSorted((a, b) => a - b)).toEqual([0, 60])
    expect(results.filter(({ sheetUrl }) => sheetUrl !== null)).toHaveLength(1)
  })

  test('with one bad row changes nothing, and names each problem', async () => {
    const [first, second] = [newName(), newName()]
    const taken = newEmail()
    ok(await admin.post('/api/admin/users', { username: newName(), email: taken }))
    const rows: Cells[] = [
      ['username', 'nickname', 'E-mail', 'phone', 'organization', 'role', 'language'],
      [first, 'Ann', taken, '123', 'no such class', null, 'fr'],
      [first.toUpperCase(), 'x'.repeat(51), 'no address', null, org.code, 'OWNER', 'en'],
      ['9', null, null, null, null, 'MEMBER', null],
      [second, null, null, null, org.name, 'LIBRARIAN', 'zh'],
      [null, 'nobody', null, null, null, null, null],
    ]
    expect(await errorsOf(rows)).toEqual(
      expect.arrayContaining([
        '2 E-mail: belongs to another account',
        '2 phone: is not a phone number: 11 digits, or + and the country code',
        '2 organization: is not the code of an organization, or a name that only one has',
        '2 language: must be en or zh',
        '3 username: is also in row 2',
        '3 nickname: must have at most 50 characters, and no invisible ones',
        '3 E-mail: is not an e-mail address',
        '3 role: is given only by a transfer of the organization',
        '4 username: must be 3 to 32 letters, digits and, between them, single _ . or -, and start with a letter',
        '4 role: needs an organization',
        '5 role: is not a role of the organization',
        '6 username: is required',
      ]),
    )
    const refused = await send(admin, rows)
    expect(refused.status).toBe(400)
    expect(refused.details.map(({ path }) => path)).toContain('rows.5.role')
    expect(await userOf(second)).toBeUndefined()
  })

  test('never takes a user with the same username for the one in the file', async () => {
    const file: Cells[] = [
      ['username', 'nickname'],
      [pupil.username, 'Somebody else'],
    ]
    expect(await errorsOf(file)).toEqual(['2 username: is the username of another user'])
    expect(await errorsOf([['username'], [pupil.username]])).toEqual(['2 username: is the username of another user'])
  })

  test('fills an organization up to its limit and not beyond', async () => {
    const small = await createOrg(owner, { memberLimit: 3 })
    const file = (count: number): Cells[] => [['username'], ...Array.from({ length: count }, (): Cells => [newName()])]
    expect(await errorsOf(file(3), { orgId: small.id })).toHaveLength(1)
    expect((await send(admin, file(3), { orgId: small.id })).status).toBe(400)
    expect(numbersOf(await imported(file(2), { orgId: small.id }))).toBe('2: 2 new, 0 changed, 0 unchanged, 0 errors')
    expect(await members(small)).toHaveLength(3)
    const told = ok(await owner.call('notifications.list')).data.items
    expect(told[0]!.body).toContain('2 new members')
  })
})

describe('UPSERT', () => {
  test('changes nicknames and memberships, never those of administrators, and makes the others', async () => {
    const [known, fresh] = [newName(), newName()]
    ok(await admin.post('/api/admin/users', { username: known, nickname: 'Old name' }))
    const file: Cells[] = [
      ['username', 'nickname', 'organization', 'role'],
      [known, 'New name', org.code, 'ADMIN'],
      [fresh, 'Fresh', null, null],
    ]
    const result = await imported(file, { mode: 'UPSERT' })
    expect(numbersOf(result)).toBe('2: 1 new, 1 changed, 0 unchanged, 0 errors')
    expect(await rowsIn(result.sheetUrl!)).toHaveLength(2)
    expect(await userOf(known)).toMatchObject({ nickname: 'New name', memberships: [{ orgId: org.id }] })
    expect((await members(org)).find(({ nickname }) => nickname === 'New name')?.roleCode).toBe('ADMIN')
    expect(numbersOf(await imported(file, { mode: 'UPSERT' }))).toBe('2: 0 new, 0 changed, 2 unchanged, 0 errors')
    expect(
      await errorsOf(
        [
          ['username', 'nickname'],
          [clerk.username, 'Renamed'],
        ],
        { mode: 'UPSERT' },
      ),
    ).toEqual(['2 username: is an administrator, whom an import does not change'])
    // A role that gives more than its caller holds takes SYSTEM_ADMIN.
    const mine: Cells[] = [
      ['username', 'organization', 'role'],
      [newName(), org.code, 'ADMIN'],
    ]
    const refused = await send(clerk, mine)
    expect([refused.status, refused.details[0]?.path]).toEqual([400, 'rows.2.role'])
  })
})

describe('the ways in', () => {
  test('INVITE mails the code, and prints slips for addresses that take no mail', async () => {
    const [first, second, email] = [newName(), newName(), newEmail()]
    const file: Cells[] = [
      ['username', 'name', 'email', 'language'],
      [first, '王伟', email, 'zh'],
    ]
    const result = await imported(file, { way: 'INVITE' })
    expect(result.sheetUrl).toBeNull()
    await until(() => gateways.mails.some(({ to }) => to === email), 'the mail arrived')
    const mail = gateways.mails.find(({ to }) => to === email)!
    expect(mail.subject).toStartWith('你在')
    const link = new URLSearchParams(/\/console\/start#(\S+)/.exec(mail.text)![1])
    expect(link.get('account')).toBe(first)
    ok(await redeem(first, link.get('code')!))
    expect(
      await errorsOf(
        [
          ['username', 'email'],
          [second, null],
        ],
        { way: 'INVITE' },
      ),
    ).toEqual(['2 email: is required'])
    const stop = new URL(/不再邀请此邮箱：(\S+)/.exec(mail.text)![1]!)
    const form = {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'choice=NONE',
    }
    expect((await fetch(server.url + stop.pathname, form)).status).toBe(200)
    ok(
      await admin.call('admin.users.changeStatus', {
        params: { userId: (await userOf(first))!.id },
        body: { status: 'ACTIVE' },
      }),
    )
  })

  test('NONE makes users without codes', async () => {
    const username = newName()
    const result = await imported([['username'], [username]], { way: 'NONE' })
    expect(result.sheetUrl).toBeNull()
    expect(await userOf(username)).toMatchObject({ hasPassword: false })
    expect(numbersOf(await imported([['username'], [username]], { way: 'NONE' }))).toContain('1 unchanged')
  })
})

describe.if(inProcess)('the mails of an import', () => {
  const limited = useServer({ config: gateways.config, rateLimit: true })

  test('end with those of the day and of an address, whose users get slips, and no limit is exceeded by imports that overlap', async () => {
    const root = limited.admin
    const setLimit = async (value: number): Promise<void> =>
      void ok(await root.call('admin.settings.update', { body: { values: { 'budget.invitationMailsPerDay': value } } }))
    const sendRows = (list: readonly (readonly [username: string, email: string])[]) =>
      send(root, [['username', 'email'], ...list.map((row): Cells => [...row])], { way: 'INVITE' })
    const slips = async ({ sheetUrl }: UsersImported): Promise<string[]> => {
      const url = new URL(sheetUrl!)
      const { Sheets, SheetNames } = XLSX.read(
        await (await fetch(limited.server.url + url.pathname + url.search)).bytes(),
      )
      return XLSX.utils.sheet_to_json<string[]>(Sheets[SheetNames[0]!]!, { header: 1 }).map((row) => row[1]!)
    }
    const mailsTo = (email: string): number => gateways.mails.filter(({ to }) => to === email).length

    const tired = newEmail()
    for (const name of ['first', 'second']) {
      const to = await createOrg(root, { name })
      ok(await root.post(`/api/orgs/${to.id}/invite-mails`, { emails: [tired] }))
    }
    await setLimit(4)
    const rows = [tired, newEmail(), newEmail(), newEmail()].map((email) => [newName(), email] as const)
    const result: UsersImported = ok(await sendRows(rows)).data
    expect(result.created).toBe(4)
    expect((await slips(result)).slice(1)).toEqual([rows[0]![0], rows[3]![0]])
    await until(() => mailsTo(rows[1]![1]) + mailsTo(rows[2]![1]) === 2, 'both mails arrived')
    expect([mailsTo(rows[0]![1]), mailsTo(rows[3]![1])]).toEqual([2, 0])

    await setLimit(6)
    const { db } = limited.server.ctx
    const { write } = db
    let isFirst = true
    db.write = async (...given: Parameters<typeof write>) => {
      if (given[0] === 'people.importUsers' && isFirst) {
        isFirst = false
        await setLimit(5)
      }
      return write.apply(db, given) as never
    }
    const two = [newEmail(), newEmail()].map((email) => [newName(), email] as const)
    const during = await sendRows(two)
    db.write = write
    // PostgreSQL decides in the write. On SQLite, whose mails were chosen before it, nothing is changed.
    if (during.status !== 200) {
      expect([during.status, during.code]).toEqual([429, 4022])
      const { data } = await root.call('admin.users.list', { query: { keyword: two[0]![0] } })
      expect(data!.total).toBe(0)
    }
    const last: UsersImported = during.status === 200 ? during.data : ok(await sendRows(two)).data
    expect(last.created).toBe(2)
    expect((await slips(last)).slice(1)).toEqual([two[1]![0]])
    await until(() => mailsTo(two[0]![1]) === 1, 'the last mail of the day arrived')
    expect(mailsTo(two[1]![1])).toBe(0)
  })
})

describe('an import', () => {
  test('reads columns by a mapping, and refuses bad files, input and callers', async () => {
    const username = newName()
    const mapping = { Kennung: 'username', Klasse: null }
    const file: Cells[] = [
      ['Kennung', 'Klasse'],
      [username, 'no class at all'],
    ]
    expect(numbersOf(await imported(file, { mapping, dryRun: true }))).toBe(
      '1: 1 new, 0 changed, 0 unchanged, 0 errors',
    )
    expect((await send(admin, file)).status).toBe(400)
    expect((await send(admin, file, { mapping: { Kennung: 'password' } })).status).toBe(400)
    expect((await send(admin, undefined)).status).toBe(400)
    expect((await send(admin, new Uint8Array([1, 2, 3]), {})).status).toBe(415)
    expect((await send(admin, file, { way: 'MAGIC' })).status).toBe(400)
    expect(
      (
        await send(admin, [
          ['username', 'username'],
          [username, username],
        ])
      ).status,
    ).toBe(400)
    expect((await send(pupil, file)).status).toBe(403)
    const gone = await createOrg(owner)
    ok(await owner.call('orgs.dissolve', { params: { id: gone.id } }))
    const classless = newName()
    for (const orgId of [gone.id, 2_000_000_000])
      for (const dryRun of [true, false])
        expect((await send(admin, [['username'], [classless]], { orgId, dryRun })).status).toBe(400)
    expect(await userOf(classless)).toBeUndefined()
    const rows = Array.from({ length: 5001 }, (_, i): Cells => [`u${i}x`])
    expect((await send(admin, [['username'], ...rows])).status).toBe(400)
  })

  test('keeps its codes for 15 minutes, behind a signed address', async () => {
    const { sheetUrl } = await imported([['username'], [newName()]])
    const url = new URL(sheetUrl!)
    for (const [name, value] of [
      ['signature', 'x'.repeat(22)],
      ['user', String(pupil.id)],
      ['expires', '4000000000'],
    ] as const) {
      const forged = new URL(url)
      forged.searchParams.set(name, value)
      expect((await download(forged.href)).status).toBe(403)
    }
    expect((await fetch(server.url + url.pathname + url.search, { method: 'HEAD' })).status).toBe(200)
    if (inProcess) {
      server.clock.advance(15 * 60_000 + 1)
      expect((await download(sheetUrl!)).status).toBe(403)
    } else expect(await rowsIn(sheetUrl!)).toHaveLength(2)
  })
})
