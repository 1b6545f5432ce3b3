/** The page of a check from outside, as a phone sees it. */

import { expect, test } from 'bun:test'

import { ok, until, useServer } from '../harness/index.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'

const { server, admin } = useServer()
const browser = useBrowser(server)

const start = async () => ok(await admin.call('server.checks.start', { body: { url: server.url } })).data
const state = async (id: number) => ok(await admin.call('server.checks.get', { params: { id } })).data

test('a phone sees that it works and whether the camera is allowed, and its browser reports it', async () => {
  const { id, url } = await start()
  const phone = await browser.page({ isPhone: true })
  await phone.goto(new URL(url).pathname)
  await phone.getByRole('heading', { level: 1, name: 'It works' }).waitFor()
  // Browsers trust the loopback address without https.
  await phone.getByText('Camera: allowed here').waitFor()
  expect(await barriers(phone)).toEqual([])
  expect(await isTooWide(phone)).toBe(false)
  await screenshot(phone, 'outside-check')
  await until(async () => (await state(id)).seen[0]?.browser === 'Chrome')
  expect(await state(id)).toMatchObject({
    status: 'SEEN',
    seen: [{ network: 'SAME', scheme: 'http', secureContext: true, browser: 'Chrome' }],
  })
  await phone.getByRole('link', { name: '中文' }).click()
  await phone.getByText('摄像头：可以使用').waitFor()
  await phone.reload()
  await phone.getByRole('heading', { level: 1, name: '连接成功' }).waitFor()
})

test('a second phone learns that the check is used up', async () => {
  browser.allow(/status of 404/)
  const { url } = await start()
  const { pathname } = new URL(url)
  const [first, second] = [await browser.page({ isPhone: true }), await browser.page({ isPhone: true })]
  await first.goto(pathname)
  await first.getByRole('heading', { level: 1, name: 'It works' }).waitFor()
  await second.goto(pathname)
  await second.getByRole('heading', { level: 1, name: /was opened by another device/ }).waitFor()
})
