/** The setting `server.language`: the language of pages and mails for people whose browser asks for neither language. */

import { afterEach, expect, test } from 'bun:test'

import { inProcess, ok, startGateways, startServer, useServer } from '../harness/index.ts'

const { server, admin } = useServer()

const change = (language: string | null) =>
  admin.call('admin.settings.update', { body: { values: { 'server.language': language } } })
const page = async (language?: string, path = '/') =>
  await server.request('GET', path, {
    headers: { accept: 'text/html', ...(language !== undefined && { 'accept-language': language }) },
  })
const isChinese = ({ text }: { text: string }) => text.includes('<html lang="zh-CN">')

afterEach(async () => void ok(await change(null)))

test('pages, errors and the web application follow it at once, unless the browser or the address names a language', async () => {
  expect(isChinese(await page('fr'))).toBe(false)
  ok(await change('zh'))
  for (const path of ['/', '/nothing', '/setup', '/licenses']) {
    expect(isChinese(await page(undefined, path)), path).toBe(true)
    expect(isChinese(await page('fr, de;q=0.8', path)), path).toBe(true)
    expect(isChinese(await page('fr, en;q=0.1', path)), path).toBe(false)
    expect(isChinese(await page('fr', `${path}?lang=en`)), path).toBe(false)
  }
  const refused = await server.request('GET', '/api/me', { headers: { 'accept-language': 'fr' } })
  expect(refused.message).toMatch(/\p{Script=Han}/u)
  expect((await page('fr', '/console/')).text).toContain('&quot;locale&quot;:&quot;zh&quot;')
  ok(await change('en'))
  expect(isChinese(await page('fr'))).toBe(false)
  expect((await page('fr', '/console/')).text).not.toContain('name="site"')
})

test('a language that the server does not have is refused', async () => {
  const refused = await change('fr')
  expect([refused.status, refused.details[0]?.path]).toEqual([400, 'body.values.server.language'])
  expect(isChinese(await page('fr'))).toBe(false)
})

test('a change does not raise the version of the server values', async () => {
  const { version } = ok(await admin.call('server.values')).data
  ok(await change('zh'))
  expect(ok(await admin.call('server.values')).data.version).toBe(version)
})

test.if(inProcess)('mails to people who have no language are written in it', async () => {
  const gateways = await startGateways()
  try {
    await using other = await startServer({ config: gateways.config, settings: { 'server.language': 'zh' } })
    const send = (email: string, language: string) =>
      other.request('POST', '/api/auth/email/send-code', { body: { email }, headers: { 'accept-language': language } })
    ok(await send('fr@example.org', 'fr'))
    ok(await send('en@example.org', 'en'))
    expect((await gateways.mailFor('fr@example.org')).subject).toMatch(/\p{Script=Han}/u)
    expect((await gateways.mailFor('en@example.org')).subject).not.toMatch(/\p{Script=Han}/u)
  } finally {
    await gateways.stop()
  }
})
