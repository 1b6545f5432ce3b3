/** Secrets that stand in paths are in no line of the access log. */

import { expect, test } from 'bun:test'

import { allEndpoints } from '#app'
import { pathLogger, unknownPathLogger } from '#http/log-path.ts'

import { inProcess, startServer } from '../harness/index.ts'

/** Parameters of texts that open nothing by themselves, each with the reason. Ids are numbers. */
const NO_SECRETS: Readonly<Record<string, string>> = {
  emoji: 'one emoji',
  file: 'the name of a file of a public code',
  fileName: 'the name of an app package',
  id: 'the time of a restore, of which SYSTEM_ADMIN alone reads the list; of a data export, which its user can read with a token or link only',
  jobId: 'of an import, which its user can read with a token only',
  key: 'of a picture that is public',
  name: 'of a backup, whose download is signed',
  objectName: 'of a kind of objects',
  slug: 'of a short link that is printed; codes with a password ask for it',
  token: 'of a challenge, which proves nothing without the key of the account',
  type: 'of an agreement or a landing page',
  uploadId: 'the link of an upload is signed in its query',
  uuid: 'of a code that its owner has made public',
}

test('every path parameter that is a text is declared as a secret or known to be none', () => {
  const secrets: string[] = []
  for (const { id, path, params, secrets: declared = [] } of allEndpoints) {
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
    expect(declared.filter((name) => !names.includes(name))).toEqual([])
    for (const name of names) {
      const { type } = (params!.properties as Record<string, { type?: string }>)[name]!
      if (declared.includes(name)) secrets.push(`${id} ${name}`)
      else if (type !== 'integer') expect(Object.keys(NO_SECRETS), `${id} ${name}`).toContain(name)
    }
  }
  expect(secrets.toSorted()).toEqual([
    'activities.kiosk secret',
    'assetCalendars.read file',
    'auth.logoutDevice deviceId',
    'contacts.byCard code',
    'devices.endTrust deviceId',
    'devices.revoke deviceId',
    'found.send key',
    'found.thread secret',
    'found.write secret',
    'guests.calendar secret',
    'guests.change secret',
    'guests.form uuid',
    'guests.page secret',
    'guests.pass secret',
    'guests.register uuid',
    'guests.sendLink uuid',
    'landing.calendar uuid',
    'landing.page id',
    'landing.pageInUpperCase id',
    'mail.choose token',
    'mail.page token',
    'orgs.acceptMailInvitation token',
    'orgs.declineMailInvitation token',
    'orgs.mailInvitation token',
    'orgs.public code',
    'orgs.publicPage code',
    'server.checks.page token',
    'server.checks.report token',
  ])
})

const SECRET = 'c0dE5ecretThatOpensThings'
const withSecrets = allEndpoints.filter(({ secrets = [] }) => secrets.length > 0)

test.if(inProcess)('the log has no secret of a path, of any method, spelling or answer', async () => {
  const server = await startServer({ config: { logLevel: 'info' } })
  try {
    for (const { path } of withSecrets) {
      const right = path.replaceAll(/:(\w+)/g, (_, name: string) => (name === 'type' ? 'pass' : SECRET))
      for (const spelling of [
        right,
        `${right}/`,
        `${right}/more`,
        `/${right}`,
        right.toUpperCase(),
        `${right}?x=${SECRET}`,
      ])
        for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'PUT'])
          await fetch(server.url + spelling, { method }).then((answer) => answer.text())
    }
    const { lines } = server.ctx.log.recent.find({ level: 'info', since: 0, limit: 1000 })
    const log = JSON.stringify(lines)
    expect(lines.length).toBeGreaterThanOrEqual(withSecrets.length * 30)
    expect(log.toLowerCase()).not.toContain(SECRET.toLowerCase())
    expect(log).toContain('/public/calendars/***')
    expect(log).toContain('/public/kiosk/***')
    expect(log).toContain('/s/pass/***')
  } finally {
    await server.stop()
  }
})

test('a public URL with a path, a slash at the end and a query do not move the place of a secret', () => {
  const logged = pathLogger({ path: '/s/:type/:id', secrets: ['id'] })
  expect(logged('https://example.org/s/pass/x')).toBe('/s/pass/***')
  expect(logged('https://example.org/QR/S/PASS/X/?y=1')).toBe('/QR/S/PASS/***/')
})

test('of an unknown path only the first part and known second parts are logged', () => {
  const logged = unknownPathLogger(allEndpoints)
  expect(logged('http://h/wp-login.php')).toBe('/wp-login.php')
  expect(logged('http://h/api/orgs/K7WPQ2MX/x')).toBe('/api/orgs/…')
  expect(logged('http://h/orgs/K7WPQ2MX')).toBe('/orgs/…')
  expect(logged('http://h//public/orgs/K7WPQ2MX')).toBe('//public/…')
  expect(logged(`http://h/${SECRET}`)).toBe('/…')
})
