/** Statistics of scans in the web application. */

import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'

import { countScan, flushScans } from '#domains/qr-codes/codes/scan-counter.ts'

import { inProcess, ok, useServer } from '../harness/index.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'

const { server, alice } = useServer({ people: ['alice'] })
const browser = useBrowser(server)

test.if(inProcess)(
  'the page of a code shows hours, devices, languages, countries and pages, and exports them',
  async () => {
    const body = { name: 'Poster', content: 'https://example.org', isPublic: true }
    const { id } = ok(await alice.call('qrCodes.create', { body })).data
    const page = await browser.signedIn(alice)
    await page.goto(`/console/codes/${id}`)
    await page.getByText('Nobody has scanned this code yet.').waitFor()

    const visit = {
      isRobot: false,
      isOptedOut: false,
      ip: '203.0.113.9',
      userAgent: 'Mozilla/5.0 (Linux; Android 10; K) Chrome/131.0.0.0',
      device: 'ANDROID',
      language: 'de',
      country: 'AT',
      referrer: 'direct',
      rule: null,
    } as const
    for (let i = 0; i < 3; i++) countScan(server.ctx, id, visit)
    countScan(server.ctx, id, { ...visit, device: 'IOS', language: '', country: null, referrer: 'a.example', rule: 1 })
    for (let i = 0; i < 7; i++) countScan(server.ctx, id, { ...visit, isRobot: true })
    await flushScans(server.ctx)
    await page.reload()
    await page.getByText('Without robots: 7 filtered').waitFor()
    await page.getByText('2 visitors per day, added up').waitFor()
    const rows = async (title: string) => {
      const items = page.getByRole('region', { name: title, exact: true }).getByRole('listitem')
      return (await items.allInnerTexts()).map((text) => text.replace(/\n+/, ': '))
    }
    expect(await rows('Devices')).toEqual(['Android: 3', 'iPhone and iPad: 1'])
    expect(await rows('Languages')).toEqual(['German: 3', 'Not given: 1'])
    expect(await rows('Countries')).toEqual(['Austria: 3', 'Unknown: 1'])
    expect(await rows('Pages with the link')).toEqual(['Opened directly, as by a camera: 3', 'a.example: 1'])
    expect(await rows('Rules')).toEqual(['No rule: 3', 'Rule 2: 1'])
    // For screen readers.
    const hours = page.getByRole('table', { name: 'Scans by hour of the day' })
    expect(await hours.getByRole('row').count()).toBe(25)
    expect((await hours.getByRole('cell').allInnerTexts()).filter((text) => text !== '0')).toEqual(['4'])
    expect(await barriers(page)).toEqual([])
    await screenshot(page, 'scan-statistics')

    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    await page.getByRole('menuitem', { name: 'CSV table' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toMatch(/^scans-\d+-\d{8}\.csv$/)
    expect(await readFile(await download.path(), 'utf8')).toContain('Country,AT,3')

    await page.setViewportSize({ width: 360, height: 740 })
    expect(await isTooWide(page)).toBe(false)
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto('/console/codes/statistics')
    await page.getByText('Scans of the period without robots: 7 filtered').waitFor()
    const most = page.getByRole('region', { name: 'Most scanned in this period' })
    expect(await most.getByRole('listitem').allInnerTexts()).toEqual(['Poster\n\n4'])
    await most.getByRole('link', { name: 'Poster' }).click()
    await page.waitForURL(`**/codes/${id}`)
  },
)

test.if(inProcess)('the page of a code says why there is nothing to count', async () => {
  const { id } = ok(
    await alice.call('qrCodes.create', { body: { name: 'Draft', content: 'https://example.org' } }),
  ).data
  const page = await browser.signedIn(alice, { locale: 'zh-CN' })
  await page.goto(`/console/codes/${id}`)
  await page.getByText('此二维码未公开，其他人无法打开。公开后才会统计扫码。').waitFor()
  // Opened by the share page, whose scans have no details.
  ok(await alice.call('qrCodes.publish', { params: { id }, body: { isPublic: true } }))
  countScan(server.ctx, id)
  await flushScans(server.ctx)
  await page.reload()
  await page.getByText('这段时间没有明细。').waitFor()
})
