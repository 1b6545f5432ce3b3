/** The import of participants in the web application. */

import { describe, expect, test } from 'bun:test'

import { list, openActivity } from '../activities/registering.ts'
import { useServer } from '../harness/index.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'

const { server, alice } = useServer({ people: ['alice'] })
const browser = useBrowser(server)

const questions = [{ key: 'size', label: 'Size of the T-shirt' }]
const csv = (text: string) => ({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })

test('a manager imports a table after correcting it and matching a column', async () => {
  const activity = await openActivity(server, alice, { questions, capacity: 1 }, { name: 'Picnic' })
  const page = await browser.signedIn(alice)
  await page.goto(`/console/activities/${activity.id}?tab=registrations`)
  await page.getByRole('link', { name: 'Import' }).click()
  const input = page.locator('input[type=file]')
  await input.setInputFiles(csv('Name,E-mail,Shirt\nAnn,ann@example.org,M\nBen,no address,L\n'))
  await page.getByText('“no address”: row 3').waitFor()
  const button = page.getByRole('button', { name: /^Import \d/ })
  expect(await button.isDisabled()).toBe(true)
  expect(await barriers(page)).toEqual([])
  await screenshot(page, 'participants-import-errors')

  await input.setInputFiles(csv('Name,E-mail,Shirt\nAnn,ann@example.org,M\nBen,ben@example.org,L\n'))
  await page.getByText('gets no place (free places: 1)').first().waitFor()
  await page.getByRole('combobox', { name: 'Shirt' }).click()
  await page.getByRole('option', { name: 'Size of the T-shirt' }).click()
  await page.getByLabel('Even if all places are taken').check()
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByRole('cell', { name: 'ben@example.org' }).waitFor()
  await page.getByRole('columnheader', { name: 'Size of the T-shirt' }).waitFor()
  await screenshot(page, 'participants-import')
  expect(await barriers(page)).toEqual([])
  expect((await list(alice, activity)).total).toBe(0)
  await page.getByRole('button', { name: 'Import 2 rows' }).click()
  await page.getByRole('heading', { name: 'The import is finished' }).waitFor()
  await page.getByRole('link', { name: 'Show the registrations' }).click()
  await page.getByRole('link', { name: 'Ann', exact: true }).waitFor()
  const { items } = await list(alice, activity, { sort: 'name' })
  expect(items).toMatchObject([
    { nickname: 'Ann', source: 'IMPORT', status: 'CONFIRMED', answers: { size: 'M' } },
    { nickname: 'Ben', source: 'IMPORT', status: 'CONFIRMED', answers: { size: 'L' } },
  ])
})

describe('on a phone in Chinese', () => {
  for (const isDark of [false, true])
    test(`the import fits, ${isDark ? 'dark' : 'light'}`, async () => {
      const activity = await openActivity(server, alice, { questions, capacity: 9 }, { name: '社区园艺活动' })
      const page = await browser.signedIn(alice, { isPhone: true, locale: 'zh-CN', isDark })
      await page.goto(`/console/activities/${activity.id}?tab=registrations`)
      await page.getByRole('link', { name: '导入' }).waitFor()
      await screenshot(page, `participants-import-phone-list-${isDark ? 'dark' : 'light'}`)
      await page.getByRole('link', { name: '导入' }).click()
      const input = page.locator('input[type=file]')
      await input.setInputFiles(csv('姓名,邮箱,状态,备注\n林梅,lin@example.org,候补,素食\n王芳,没有,,\n'))
      await page.getByText('“没有”：第 3 行').waitFor()
      await screenshot(page, `participants-import-phone-${isDark ? 'dark' : 'light'}`)
      expect({ isTooWide: await isTooWide(page), barriers: await barriers(page) }).toEqual({
        isTooWide: false,
        barriers: [],
      })
    })
})
