/** Who may restore, and what is asked before: the restores themselves are in test/ops/restore-in-browser.test.ts. */

import { expect, test } from 'bun:test'
import { join } from 'node:path'

import { findBackup, writeNote } from '#platform/backup/folder.ts'
import { MINUTE } from '#platform/clock.ts'

import { findRole, grant } from '../access/helpers.ts'
import { inProcess, ok, useServer } from '../harness/index.ts'
import { idle, make } from './helpers.ts'

const { server, admin, mallory } = useServer({ people: ['mallory'] })
const onSqlite = !process.env['TEST_DATABASE_URL']

test.if(inProcess && onSqlite)(
  'a restore needs SYSTEM_ADMIN, a recent proof, and a backup that this version can read',
  async () => {
    const { name } = await make(admin)
    ok(await admin.call('backups.verify', { params: { name } }))
    await idle(admin)
    ok(await grant(admin, mallory, await findRole(admin, 'PLATFORM', 0, 'USER_ADMIN')))
    const body = { confirm: name, keepSessions: false, keepServerValues: true }
    for (const reply of [
      await mallory.call('restores.start', { params: { name }, body }),
      await mallory.call('restores.preview', { params: { name } }),
      await mallory.call('restores.undo', { params: { id: '20300102-030405' }, body: { keepSessions: false } }),
      await mallory.call('restores.delete', { params: { id: '20300102-030405' } }),
    ])
      expect(reply.status).toBe(403)
    server.clock.advance(11 * MINUTE)
    const late = await admin.call('restores.start', { params: { name }, body })
    expect([late.status, late.code]).toEqual([403, 4031])

    const folder = join(server.dataDir, 'backups')
    const note = findBackup(folder, name)!.note!
    const migrations = [...note.facts!.contents!.migrations, { name: '9999_of_tomorrow', sha256: 'x' }]
    await writeNote(folder, name, {
      ...note,
      facts: { ...note.facts!, contents: { ...note.facts!.contents!, migrations } },
    })
    const preview = ok(await admin.call('restores.preview', { params: { name } })).data
    expect([preview.schema, preview.refusals.map(({ code }) => code)]).toEqual(['NEWER', ['NEWER']])
    await writeNote(folder, name, { ...note, facts: { ...note.facts!, database: 'postgres', contents: null } })
    const other = ok(await admin.call('restores.preview', { params: { name } })).data
    expect([other.database, other.refusals.map(({ code }) => code)]).toEqual(['OTHER_KIND', ['OTHER_KIND']])
    expect(
      (await admin.call('restores.undo', { params: { id: '20300102-030405' }, body: { keepSessions: false } })).status,
    ).toBe(404)
  },
)
