/** The album in the web application: adding, looking at, changing, sharing and deleting photos. */

import { describe, expect, test } from 'bun:test'

import { createCanvas } from '@napi-rs/canvas'

import { ok, type Person, useServer } from '../harness/index.ts'
import { barriers, isTooWide, menuLink, screenshot, useBrowser } from './browser.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })
const browser = useBrowser(server)

function picture(color: string): Buffer {
  const canvas = createCanvas(600, 400)
  const context = canvas.getContext('2d')
  context.fillStyle = color
  context.fillRect(0, 0, 600, 400)
  return canvas.toBuffer('image/jpeg')
}

const photo = (name: string, color: string) => ({ name, mimeType: 'image/jpeg', buffer: picture(color) })

const namesOf = async (person: Person, query: { orgId?: number } = {}) =>
  ok(await person.call('album.list', { query })).data.items.map(({ name }) => name)

describe('the album', () => {
  test('adds several photos, explains why a file is refused, and shows, changes and deletes photos by keyboard', async () => {
    browser.allow(/status of 415/)
    const page = await browser.signedIn(alice)
    await page.goto('/console/album')
    await page.getByText('No photos yet').waitFor()
    await page
      .locator('input[type=file][multiple]')
      .setInputFiles([
        photo('red.jpg', '#c03030'),
        photo('green.jpg', '#30a050'),
        { name: 'notes.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('no picture') },
      ])
    await page.getByText('2 photos added, 1 photo could not be added').waitFor()
    await page.getByText('notes.jpg').waitFor()
    expect((await namesOf(alice)).toSorted()).toEqual(['green.jpg', 'red.jpg'])
    await page.getByRole('button', { name: 'Close', exact: true }).click()

    const [first, second] = (await namesOf(alice)) as [string, string]
    await page.getByRole('button', { name: first }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('img', { name: first }).waitFor()
    await page.keyboard.press('ArrowRight')
    await page.getByRole('img', { name: second }).waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.getByRole('img', { name: first }).waitFor()

    await page.getByRole('button', { name: 'Change time and place' }).click()
    const place = page.getByLabel('Place', { exact: true })
    await place.fill('x'.repeat(201))
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('input[aria-invalid=true]').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await place.fill('Hall B')
    await page.getByLabel('Taken', { exact: true }).fill('2026-03-01T09:30')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    await page.getByText('Hall B').waitFor()
    const changed = ok(await alice.call('album.list', {})).data.items.find(({ name }) => name === first)!
    expect(changed.address).toBe('Hall B')
    expect(changed.takenAt).toBe(await page.evaluate<number>(`new Date('2026-03-01T09:30').getTime()`))

    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').last().getByRole('button', { name: 'Delete' }).click()
    await page.getByText('The photo is deleted.').waitFor()
    await page.getByRole('img', { name: second }).waitFor()
    expect(await namesOf(alice)).toEqual([second])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: second }).waitFor()
    await page.getByRole('button', { name: first }).waitFor({ state: 'detached' })
  })

  test('adds a photo once although its answer was lost, and while another page is shown', async () => {
    browser.allow(/ERR_FAILED|ERR_CONNECTION_FAILED/)
    const dora = await server.person('dora')
    const page = await browser.signedIn(dora)
    await page.goto('/console/album')
    const photos = (url: URL) => url.pathname === '/api/album'
    await page.route(photos, async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      await route.fetch()
      await route.abort('connectionfailed')
    })
    const input = page.locator('input[type=file][multiple]')
    await input.setInputFiles([photo('blue.jpg', '#3060c0')])
    await page.getByText('1 photo could not be added').waitFor()
    await page.unroute(photos)
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route(photos, async (route) => {
      await held
      await route.continue()
    })
    await page.getByRole('button', { name: 'Try again' }).click()
    await menuLink(page, 'Contacts').click()
    await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor()
    release()
    await menuLink(page, 'Album').click()
    await page.getByRole('button', { name: 'blue.jpg' }).waitFor()
    await page.getByText('1 photo added').waitFor()
    expect(await namesOf(dora)).toEqual(['blue.jpg'])
  })

  test('shares a copy with an organization, whose members see it in its workspace, in Chinese on a phone', async () => {
    const org = ok(await bob.call('orgs.create', { body: { name: '绿湖俱乐部' } })).data
    const page = await browser.signedIn(bob, { isPhone: true, locale: 'zh-CN' })
    await page.goto('/console/album')
    await page.locator('input[type=file][multiple]').setInputFiles([photo('lake.jpg', '#3060c0')])
    await page.getByText('已添加 1 张照片').waitFor()
    await page.getByRole('button', { name: 'lake.jpg' }).click()
    await page.getByRole('button', { name: '共享给组织' }).click()
    await page.getByRole('button', { name: '共享', exact: true }).click()
    await page.getByText('已共享给组织。').waitFor()
    expect(await namesOf(bob, { orgId: org.id })).toEqual(['lake.jpg'])
    await page.evaluate(`localStorage.setItem('tessera.workspace.${bob.id}', '${org.id}')`)
    await page.goto('/console/album')
    await page.getByText('绿湖俱乐部').first().waitFor()
    await page.getByRole('button', { name: 'lake.jpg' }).click()
    // Photos of an organization are not shared once more.
    await page.getByRole('button', { name: '下载' }).waitFor()
    expect(await page.getByRole('button', { name: '共享给组织' }).count()).toBe(0)
  })

  for (const isDark of [false, true])
    test(`has no barriers and fits a phone, ${isDark ? 'dark' : 'light'}`, async () => {
      const carla = await server.person(isDark ? 'carla' : 'carlo')
      const page = await browser.signedIn(carla, { isPhone: true, isDark })
      await page.goto('/console/album')
      await page.getByText('No photos yet').waitFor()
      expect(await barriers(page)).toEqual([])
      await page
        .locator('input[type=file][multiple]')
        .setInputFiles([photo('a.jpg', '#303030'), photo('b.jpg', '#aaa')])
      await page.getByText('2 photos added').waitFor()
      expect([await barriers(page), await isTooWide(page)]).toEqual([[], false])
      await page.getByRole('button', { name: 'a.jpg' }).tap()
      await page.getByRole('button', { name: 'Facts' }).tap()
      await page.getByText('600 × 400 pixels').waitFor()
      expect([await barriers(page), await isTooWide(page)]).toEqual([[], false])
      await screenshot(page, `photo-${isDark ? 'dark' : 'light'}`)
    })
})
