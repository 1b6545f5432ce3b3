/** Imports of users on SQLite: others write meanwhile, nobody takes a name of the file, and either all users are made or none. */

import { describe, expect, test } from 'bun:test'

import { heldNames, userImportParts, userImports } from '#db/schema/user-imports.ts'
import { people } from '#domains/people/index.ts'

import { type Cells, csv } from '../assets/sheets.ts'
import { inProcess, ok, useServer } from '../harness/index.ts'
import { addMembers, createOrg, listMembers, type Org } from '../orgs/helpers.ts'

const onPostgres = Boolean(process.env['TEST_DATABASE_URL'])

describe.if(inProcess && !onPostgres)('an import in parts', () => {
  const { server, admin, owner } = useServer({ people: ['owner'] })

  let files = 0
  /** 250 rows, in ten parts. */
  const newFile = () => {
    const name = `pupil${++files}n`
    const usernames = Array.from({ length: 250 }, (_, i) => `${name}${i}`)
    const rows = usernames.map((username): Cells => [username, `${username}@school.example`])
    return { name, usernames, file: csv([['username', 'email'], ...rows]) }
  }
  const send = (file: Uint8Array<ArrayBuffer>, org?: Org) => {
    const form = new FormData()
    if (org) form.set('orgId', String(org.id))
    form.set('file', new File([file], 'people.csv'))
    return admin.send('POST', '/api/admin/users/import', { body: form })
  }
  const countOf = async (keyword: string): Promise<number> =>
    ok(await admin.call('admin.users.list', { query: { keyword } })).data.total
  const memberCount = async ({ id }: Org): Promise<number> =>
    ok(await owner.call('orgs.get', { params: { id } })).data.memberCount
  const rowsLeft = async () => {
    const { read } = server.ctx.db
    const rows = [await read.select().from(heldNames), await read.select().from(userImportParts)]
    return [...rows, await read.select().from(userImports)].map(({ length }) => length)
  }
  /** Calls `before` ahead of the write `name`, at its `nth` time. */
  function aheadOf(name: string, before: () => Promise<unknown>, nth = 1): Disposable {
    const { db } = server.ctx
    const { write } = db
    let times = 0
    db.write = async (...given: Parameters<typeof write>) => {
      if (given[0] === name && ++times === nth) await before()
      return write.apply(db, given) as never
    }
    return { [Symbol.dispose]: () => void (db.write = write) }
  }

  test('shows no user and lets nobody take a name before it is accepted', async () => {
    const org = await createOrg(owner, { memberLimit: 1000 })
    const { name, usernames, file } = newFile()
    const seen: unknown[] = []
    using _ = aheadOf('people.importUsers', async () => {
      const taken = await server.request('POST', '/api/auth/register', {
        headers: { 'x-device-id': 'device-of-somebody-quick-01' },
        body: { username: usernames[249]!.toUpperCase(), password: 'a password of a quick one' },
      })
      const claimed = await admin.post('/api/admin/users', {
        username: `quick${name}`,
        email: `${usernames[3]}@school.example`,
      })
      seen.push(taken.status, taken.details[0]?.message, claimed.status, await countOf(name), await memberCount(org))
    })
    const result = ok(await send(file, org)).data
    expect(seen).toEqual([400, 'is taken', 400, 0, 1])
    expect([result.created, await countOf(name), await memberCount(org)]).toEqual([250, 250, 251])
    expect((await listMembers(owner, org)).total).toBe(251)
    expect(await rowsLeft()).toEqual([0, 0, 0])
  })

  test('whose name is taken after its rows were checked changes nothing, and names the row', async () => {
    const { name, usernames, file } = newFile()
    using _ = aheadOf('people.holdNames', () => server.person(usernames[120]), 2)
    const refused = await send(file)
    expect([refused.status, refused.details]).toEqual([
      400,
      [{ path: 'rows.122.username', message: 'is the username of another user' }],
    ])
    expect(await countOf(name)).toBe(1)
    expect(await rowsLeft()).toEqual([0, 0, 0])
    await server.person(usernames[0])
  })

  test('into an organization that fills up meanwhile changes nothing', async () => {
    const org = await createOrg(owner, { memberLimit: 251 })
    const { name, usernames, file } = newFile()
    const quick = await server.person()
    using _ = aheadOf('people.importUsers', () => addMembers(owner, org, quick))
    expect((await send(file, org)).status).toBe(400)
    expect([await countOf(name), await memberCount(org)]).toEqual([0, 2])
    expect(await rowsLeft()).toEqual([0, 0, 0])
    await server.person(usernames[0])
  })

  test('that was accepted is finished after a write that failed, also into an organization that is gone', async () => {
    const org = await createOrg(owner, { memberLimit: 1000 })
    const { name, file } = newFile()
    using _ = aheadOf(
      'people.makeUsers',
      async () => {
        throw new Error('the disk is full')
      },
      2,
    )
    expect((await send(file, org)).status).toBe(500)
    expect([await countOf(name), (await rowsLeft())[1]]).toEqual([25, 9])
    ok(await owner.call('orgs.dissolve', { params: { id: org.id }, query: { force: true } }))
    await people.jobs.find((job) => job.name === 'people.finishImports')!.run(server.ctx)
    expect(await countOf(name)).toBe(250)
    expect(await rowsLeft()).toEqual([0, 0, 0])
    // The same file again.
    expect(ok(await send(file)).data).toMatchObject({ created: 0, unchanged: 250 })
  })
})
