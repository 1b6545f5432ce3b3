/**
 * A kill during an import of users leaves none of them or, from the moment on when the import is accepted, all of them, each with one mail. SQLite writes
 * it in parts.
 */

import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'

import { type Reply, send } from '../harness/client.ts'
import { ADMIN } from '../harness/index.ts'
import { Installation, onPostgres, type RunningCli } from './cli.ts'

const ROWS = 1000

let place: Installation
beforeEach(async () => {
  place = await Installation.make()
})
afterEach(() => place.dispose())

const start = (): Promise<RunningCli> =>
  place.serve([], {
    env: {
      TESSERA_RATE_LIMIT: 'off',
      TESSERA_LOG_LEVEL: 'error',
      // Nobody answers: the mails wait in the outbox, where they are counted.
      TESSERA_SMTP_URL: 'smtp://127.0.0.1:9',
      TESSERA_MAIL_FROM: 'school@school.example',
      TESSERA_ADMIN_USERNAME: ADMIN.username,
      TESSERA_ADMIN_PASSWORD: ADMIN.password,
    },
  })

const ACCEPTED = 'EXISTS (SELECT 1 FROM user_imports WHERE is_accepted)'
const PHASES = [
  {
    phase: 'while its names are held',
    isReached: `SELECT count(*) > 200 FROM held_names WHERE NOT ${ACCEPTED}`,
    isAccepted: false,
  },
  {
    phase: 'while its users are made',
    isReached: `SELECT count(*) BETWEEN 1 AND 15 FROM user_import_parts WHERE ${ACCEPTED}`,
    isAccepted: true,
  },
]
const LEFT =
  'SELECT (SELECT count(*) FROM held_names) + (SELECT count(*) FROM user_import_parts) + (SELECT count(*) FROM user_imports)'

test.skipIf(onPostgres)(
  'kills during imports of users leave all of the users or none',
  async () => {
    let server = await start()
    const headers: Record<string, string> = { 'x-device-id': 'device-of-the-administrator' }
    const signIn = await send(server.url, 'POST', '/api/admin/auth/login', {
      headers,
      body: { account: ADMIN.username, password: ADMIN.password },
    })
    headers['authorization'] = `Bearer ${signIn.data.accessToken}`
    const org = await send(server.url, 'POST', '/api/orgs', { headers, body: { name: 'School' } })
    expect(org.status).toBe(200)
    const db = new Database(join(place.dataDir, 'tessera.db'))
    db.run('PRAGMA busy_timeout = 5000')
    db.run('UPDATE organizations SET member_limit = 100000')
    const value = (query: string): unknown => db.query(query).values()[0]![0]

    const importing = (name: string): Promise<Reply> => {
      const rows = Array.from({ length: ROWS }, (_, i) => `${name}${i},${name}${i}@school.example`)
      const form = new FormData()
      form.set('orgId', String(org.data.id))
      form.set('way', 'INVITE')
      form.set('file', new File([['username,email', ...rows].join('\n')], 'people.csv'))
      return send(server.url, 'POST', '/api/admin/users/import', { headers, body: form })
    }
    /** Kills the server in the phase. Returns the beginning of the names of its users, or undefined if the import was too quick. */
    const killed = async (isReached: string, name: string): Promise<string | undefined> => {
      let isOver = false
      const answer = importing(name).then(
        () => (isOver = true),
        () => undefined,
      )
      while (!isOver && value(isReached) !== 1) await Bun.sleep(1)
      if (isOver) return undefined
      server.child.kill('SIGKILL')
      await server.child.exited
      await answer
      return name
    }
    /** Users, their addresses, codes and memberships. */
    const made = (name: string): unknown[] => {
      const ofUsers = `FROM users AS u JOIN TABLE_NAME AS t ON t.user_id = u.id WHERE u.username LIKE '${name}%'`
      return [
        value(`SELECT count(*) FROM users WHERE username LIKE '${name}%'`),
        ...['identities', 'reset_codes', 'org_members'].map((table) =>
          value(`SELECT count(*) ${ofUsers.replace('TABLE_NAME', table)}`),
        ),
      ]
    }
    const mails = () => value('SELECT count(*) FROM outbox')
    const invited = () => value("SELECT count(*) FROM users WHERE username LIKE 'early%' OR username LIKE 'late%'")
    const all = [ROWS, ROWS, ROWS, ROWS]
    for (const { phase, isReached, isAccepted } of PHASES) {
      let name: string | undefined
      for (let i = 0; name === undefined; i++) name = await killed(isReached, `${isAccepted ? 'late' : 'early'}${i}x`)
      expect(made(name)[0]).toBeLessThan(ROWS)
      expect(mails()).toBe(invited())
      server = await start()
      expect([phase, made(name)]).toEqual([phase, isAccepted ? all : [0, 0, 0, 0]])
      expect(value(LEFT)).toBe(0)
      expect(mails()).toBe(invited())
      const { data } = await importing(name)
      expect(data).toMatchObject(isAccepted ? { created: 0, unchanged: ROWS } : { created: ROWS, unchanged: 0 })
      expect([phase, made(name)]).toEqual([phase, all])
      expect(mails()).toBe(invited())
    }
    expect(value('SELECT member_count - (SELECT count(*) FROM org_members) FROM organizations')).toBe(0)
    expect(db.query('PRAGMA foreign_key_check').all()).toEqual([])
    db.close()
    expect(await server.end()).toBe(0)
  },
  120_000,
)
