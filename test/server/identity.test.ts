/** The name, colours and contact of the server: GET /api/server, PUT /api/admin/server/identity, and where they are shown. */

import { afterEach, describe, expect, test } from 'bun:test'

import { createActivity } from '../activities/helpers.ts'
import { ok, type Person, race, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { createCode } from '../qr-codes/helpers.ts'

const { server, admin, alice } = useServer({ people: ['alice'] })

const change = (body: object, who: Person = admin, headers: Record<string, string> = {}) =>
  who.call('server.identity.update', { body, headers })
const page = async (path = '/') => (await server.request('GET', path, { headers: { accept: 'text/html' } })).text
const shown = async () => ok(await server.call('server.get')).data

afterEach(async () => void ok(await change({})))

test('a server has the name of the product until an administrator gives it another one', async () => {
  expect(await shown()).toMatchObject({
    name: 'Tessera',
    shortName: 'Tessera',
    logoUrl: null,
    colors: { primary: null, primaryDark: null },
    contact: { operator: null, email: null },
    registration: 'OPEN',
    languages: ['en', 'zh'],
  })
  const { identity } = ok(await admin.call('server.values')).data
  expect(identity.sources['name']).toBe('DEFAULT')
})

test('the name is shown on pages, in their title and preview, and beside its short form in the view', async () => {
  const { data } = ok(await change({ name: 'Willow Street Library', description: 'Books & rooms' }))
  expect(data).toMatchObject({
    name: 'Willow Street Library',
    shortName: 'Willow Stree',
    sources: { name: 'DATABASE' },
  })
  expect(await shown()).toMatchObject({ name: 'Willow Street Library' })
  const front = await page()
  expect(front).toContain('<title>Willow Street Library</title>')
  expect(front).toContain('property="og:site_name" content="Willow Street Library"')
  expect(front).toContain('Books &amp; rooms')
  expect(front).not.toContain('Tessera</a>')
  expect(await page('/nothing')).toContain('· Willow Street Library</title>')
  expect(await page('/licenses')).toContain('Willow Street Library')
  const manifest = JSON.parse((await server.request('GET', '/manifest.webmanifest')).text) as Record<string, unknown>
  expect(manifest).toMatchObject({ id: '/console/', name: 'Willow Street Library', short_name: 'Willow Stree' })
})

test('hostile names are texts everywhere', async () => {
  const name = '</title><script>alert(1)</script>"\\'
  ok(await change({ name }))
  expect(await page()).not.toContain('<script>alert')
  expect((JSON.parse((await server.request('GET', '/manifest.webmanifest')).text) as { name: string }).name).toBe(name)
  for (const bad of ['x'.repeat(61), 'a\u202Eb', 'a\nb', 7]) expect((await change({ name: bad })).status).toBe(400)
  ok(await change({ name: '👩‍🚀'.repeat(20) }))
  expect((await shown()).shortName).toBe('👩‍🚀'.repeat(12))
})

test.each([
  ['60 emoji', '😀'.repeat(60)],
  ['right-to-left', 'مكتبة شارع الصفصاف'],
  ['a script', '<script>alert("1")</script>'],
  ['patterns of replacements', "$& $` $' </title>"],
])('a name of %s is the same text on pages, in the web application and in the manifest', async (_what, name) => {
  ok(await change({ name }))
  const escaped = name
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
  const titleOf = (text: string) => /<title>(.*?)<\/title>/.exec(text)![1]!.replaceAll('&#39;', "'")
  expect(titleOf(await page())).toBe(escaped)
  expect(titleOf(await page('/nothing'))).toEndWith(` · ${escaped}`)
  expect(titleOf(await page('/console/login'))).toBe(escaped)
  const manifest = JSON.parse((await server.request('GET', '/manifest.webmanifest')).text) as Record<string, unknown>
  expect(manifest['name']).toBe(name)
  expect([...new Intl.Segmenter().segment(String(manifest['short_name']))].length).toBeLessThanOrEqual(12)
})

test('colours with too little contrast are shown darker or lighter', async () => {
  const { data } = ok(await change({ colors: { primary: '#ffff00', primaryDark: '#000000' } }))
  expect(data.colors).toEqual({ primary: '#ffff00', primaryDark: '#000000' })
  expect(data.effectiveColors.primary).not.toBe('#ffff00')
  const front = await page()
  expect(front).toContain(`--accent:${data.effectiveColors.primary}`)
  expect(front).toContain(`--accent:${data.effectiveColors.primaryDark}`)
  const { contrast } = await import('#lib/colors.ts')
  expect(contrast(data.effectiveColors.primary!, '#f4f5f2')).toBeGreaterThanOrEqual(4.5)
  expect(contrast(data.effectiveColors.primaryDark!, '#181f1c')).toBeGreaterThanOrEqual(4.5)
  // Black on black: the text on buttons is the opposite of their colour.
  ok(await change({ colors: { primary: '#000000', primaryDark: '#000000' } }))
  const pairs = [...(await page()).matchAll(/--accent:(#\w{6});--on-accent:(#\w{6})/g)].slice(-2)
  for (const [, accent, text] of pairs) expect(contrast(accent!, text!)).toBeGreaterThanOrEqual(4.5)
  expect((await change({ colors: { primary: 'red' } })).status).toBe(400)
  expect(ok(await change({ colors: {} })).data.colors).toEqual({ primary: null, primaryDark: null })
})

test('pages name the operator in their foot, and only then', async () => {
  const code = await createCode(alice, { isPublic: true })
  const { code: orgCode } = await createOrg(alice)
  const activity = await createActivity(alice, { visibility: 'PUBLIC' })
  const paths = ['/', '/nothing', '/licenses', '/trust', `/public/qr/${code.uuid}`, `/public/orgs/${orgCode}`]
  paths.push(`/s/activity/${activity.uuid}`, '/s/pass/unknown', '/setup', '/console/login')
  for (const path of paths) expect(await page(path)).not.toContain('Willow e.V.')
  expect(await page()).not.toContain('mailto:')
  ok(
    await change({
      contact: { operator: 'Willow e.V.', email: 'desk@willow.example', imprintUrl: 'https://willow.example/imprint' },
    }),
  )
  const front = await page()
  for (const path of paths) {
    const text = await page(path)
    expect([path, text.includes('Willow e.V.') && text.includes('https://willow.example/imprint')]).toEqual([
      path,
      true,
    ])
  }
  expect(front).toContain('href="mailto:desk@willow.example"')
  expect(front).toContain('href="https://willow.example/imprint"')
  for (const contact of [{ url: 'javascript:alert(1)' }, { imprintUrl: 'ftp://x' }, { email: 'nobody' }]) {
    const refused = await change({ contact })
    expect([refused.status, refused.details[0]?.path]).toEqual([400, `body.contact.${Object.keys(contact)[0]!}`])
  }
  expect(ok(await change({ contact: { email: null } })).data.contact).toMatchObject({
    operator: 'Willow e.V.',
    email: null,
  })
})

describe('access and versions', () => {
  test('users, and callers without a token, are refused', async () => {
    expect((await change({ name: 'x' }, alice)).status).toBe(403)
    expect((await alice.call('server.values')).status).toBe(403)
    expect((await server.call('server.identity.update', { body: {} })).status).toBe(401)
  })

  test('an administrator who has seen an older version gets the present one', async () => {
    const { data, headers } = ok(await change({ name: 'One' }))
    expect(headers.get('etag')).toBe(`"${data.version}"`)
    const seen = { 'if-match': headers.get('etag')! }
    ok(await change({ name: 'Two' }, admin, seen))
    const late = await change({ name: 'Three' }, admin, seen)
    expect([late.status, late.code, late.data.name]).toEqual([412, 4024, 'Two'])
    expect((await shown()).name).toBe('Two')
  })

  test('of many changes of one version, one is made', async () => {
    const { headers } = ok(await change({ name: 'Start' }))
    const seen = { 'if-match': headers.get('etag')! }
    const replies = await race(20, (nth) => change({ name: `Name ${nth}` }, admin, seen))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 412)).toHaveLength(19)
  })
})
