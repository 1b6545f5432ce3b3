/** The import of links in the web application. */

import { expect, test } from 'bun:test'

import { ok, useServer } from '../harness/index.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'
import { choose } from './workspace.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })
const browser = useBrowser(server)

const csv = (text: string) => ({ name: 'links.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })

test('a table is checked, corrected, matched and imported, and the codes lead where it says', async () => {
  const page = await browser.signedIn(alice)
  await page.goto('/console/codes')
  await page.getByRole('link', { name: 'Import links' }).click()
  const input = page.locator('input[type=file]')
  await input.setInputFiles(
    csv('url,back_half,Titel\nhttps://example.com/a,menu!,Menu\nhttps://example.com/b,hours,Hours\n'),
  )
  await page.getByText('back_half: must be at most 100 letters').waitFor()
  expect(await page.getByRole('button', { name: /^Import \d/ }).isDisabled()).toBe(true)

  await input.setInputFiles(
    csv('url,back_half,Titel\nhttps://example.com/a,menu,Menu\nhttps://example.com/b,hours,Hours\n'),
  )
  await choose(page, 'Titel', 'Name')
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByRole('cell', { name: 'Hours', exact: true }).waitFor()
  await screenshot(page, 'links-import')
  expect(ok(await alice.call('qrCodes.list')).data.total).toBe(0)
  await page.getByRole('button', { name: 'Import 2 rows' }).click()
  await page.getByRole('heading', { name: 'The import is finished' }).waitFor()
  const codes = ok(await alice.call('qrCodes.list')).data.items
  expect(codes.map(({ name, slug }) => `${name} ${slug}`).toSorted()).toEqual(['Hours hours', 'Menu menu'])
})

test('on a phone in Chinese it fits, and has no barriers', async () => {
  const page = await browser.signedIn(bob, { isPhone: true, locale: 'zh-CN', isDark: true })
  await page.goto('/console/codes/import')
  await page.locator('input[type=file]').setInputFiles(csv('链接,备注,其他\nhttps://example.com/c,门口,x\n'))
  await page.getByRole('heading', { name: '3. 检查结果' }).waitFor()
  await screenshot(page, 'links-import-phone')
  expect(await isTooWide(page)).toBe(false)
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: '导入 1 行' }).click()
  await page.getByRole('heading', { name: '导入完成' }).waitFor()
})
