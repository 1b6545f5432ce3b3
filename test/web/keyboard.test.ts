/** Everything that people do with the keyboard alone: Tab, arrows, Enter, Space, Escape and typing. No test here clicks. */

import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'

import type { Page } from 'playwright-core'

import { ok, useServer } from '../harness/index.ts'
import { pictureOfPng, readByZxing } from '../lib/qr-pictures.ts'
import { barriers, menuLink, screenshot, settled, until, useBrowser } from './browser.ts'
import { makeContacts } from './contact-requests.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })
const browser = useBrowser(server)

interface Focus {
  name: string
  tag: string
  /** Why people do not see where they are; empty if they do. */
  hidden: string
}

/** The element with the focus: its name, and whether people see it and that it has the focus. */
const focused = (page: Page): Promise<Focus> =>
  page.evaluate(`(() => {
    const element = document.activeElement
    const labelledBy = element.getAttribute('aria-labelledby')?.split(' ').map((id) => document.getElementById(id)?.textContent)
    const name =
      element.getAttribute('aria-label') ?? labelledBy?.join(' ') ?? element.labels?.[0]?.textContent ?? element.textContent
    const box = element.getBoundingClientRect()
    const around = [element, element.parentElement, element.parentElement?.parentElement].filter(Boolean)
    const isMarked = around.some((one) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(one)
      return (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) || one.matches('.Mui-focused')
    })
    const x = Math.min(Math.max(box.x + box.width / 2, 0), innerWidth - 1)
    const y = Math.min(Math.max(box.y + box.height / 2, 0), innerHeight - 1)
    const top = document.elementFromPoint(x, y)
    const isOnTop = top !== null && (around.some((one) => one.contains(top)) || top.contains(element))
    const hidden =
      element === document.body ? 'nothing has the focus'
      : box.width === 0 || box.bottom <= 0 || box.top >= innerHeight ? 'outside the window'
      : !isOnTop ? 'below ' + top?.outerHTML.slice(0, 120)
      : !isMarked ? 'without a mark'
      : ''
    return { name: (name ?? '').trim(), tag: element.tagName.toLowerCase(), hidden }
  })()`)

/** More stops than any page has before what a test looks for. */
const MAX_STOPS = 60

/** Presses Tab until the element with this name has the focus. Each stop on the way must be seen. */
async function tabTo(page: Page, name: string | RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const passed: string[] = []
  for (let i = 0; i < MAX_STOPS; i++) {
    await page.keyboard.press(key)
    let focus = await focused(page)
    // The page may still be scrolling to it, or fading in.
    if (focus.hidden !== '') {
      await settled(page)
      focus = await focused(page)
    }
    expect(focus, passed.join(' > ')).toMatchObject({ hidden: '' })
    if (typeof name === 'string' ? focus.name === name : name.test(focus.name)) return
    passed.push(focus.name)
  }
  throw new Error(`Tab does not reach ${name}: ${passed.join(' > ')}`)
}

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 }).waitFor()

test('a newcomer signs in and makes a code up to its PNG with the keyboard alone', async () => {
  const page = await browser.page()
  await page.goto('/console/')
  await page.getByLabel('Username, e-mail or phone').waitFor()
  await page.keyboard.type(alice.username)
  await tabTo(page, /^Password/)
  await page.keyboard.type(alice.password)
  await tabTo(page, 'Sign in')
  await page.keyboard.press('Enter')
  await heading(page, /^Hello/)
  await page.getByText('First steps').waitFor()
  await tabTo(page, 'Create a code')
  await page.keyboard.press('Enter')

  await heading(page, 'New code')
  // The form begins in its first field. The types before it are one stop, and the arrow keys choose among them.
  await page.locator('input:focus').waitFor()
  expect((await focused(page)).name).toMatch(/^Web address/)
  await tabTo(page, 'Link', 'Shift+Tab')
  for (const _ of ['Text', 'Wi-Fi']) await page.keyboard.press('ArrowRight')
  expect((await focused(page)).name).toBe('Wi-Fi')
  await page.keyboard.press('Tab')
  expect((await focused(page)).name).toMatch(/^Network name/)
  await page.keyboard.type('Garden club')
  await tabTo(page, /^Password/)
  await page.keyboard.type('tulips and roses')
  await page.getByRole('img', { name: 'Preview' }).waitFor()
  await tabTo(page, 'Name')
  await page.keyboard.type('Club Wi-Fi')
  await tabTo(page, /^Folder/)
  await tabTo(page, 'Create code')
  await page.keyboard.press('Enter')

  await heading(page, 'Club Wi-Fi')
  // The focus begins at the title of the new page, not at the top of the frame.
  expect((await focused(page)).name).toBe('Club Wi-Fi')
  await tabTo(page, 'Download')
  await page.keyboard.press('Enter')
  await page.getByRole('menu').waitFor()
  await page.keyboard.press('ArrowDown')
  await settled(page)
  const entry = await focused(page)
  expect(entry).toMatchObject({ hidden: '' })
  expect(entry.name).toMatch(/^PNG/)
  const downloading = page.waitForEvent('download')
  await page.keyboard.press('Enter')
  const picture = pictureOfPng(await readFile(await (await downloading).path()))
  expect((await readByZxing(picture))?.text).toBe('WIFI:T:WPA;S:Garden club;P:tulips and roses;;')

  // One key to the form for the next code, where Enter saves.
  await page.keyboard.press('n')
  await heading(page, 'New code')
  await page.locator('input:focus').waitFor()
  await page.keyboard.type('example.org/next')
  await page.keyboard.press('Enter')
  await heading(page, 'example.org')
  expect(ok(await alice.call('qrCodes.list')).data.total).toBe(2)
})

test('an opened conversation is written to at once, and its messages are one stop of Tab', async () => {
  const [lena, marc] = [await server.person(), await server.person()]
  await makeContacts(lena, marc)
  let id = 0
  for (const text of ['one', 'two', 'see https://example.org/three']) {
    const body = { toUserId: lena.id, clientMsgId: text.slice(0, 3), type: 'TEXT' as const, content: { text } }
    id = ok(await marc.call('messages.send', { body })).data.conversationId
  }
  const page = await browser.signedIn(lena)
  await page.goto('/console/chats')
  const focus = () => page.evaluate<string>('document.activeElement.outerHTML')
  const text = () => page.evaluate<string>('document.activeElement.textContent')
  const field = page.getByRole('textbox', { name: 'Message' })
  await page.getByRole('link', { name: /three/ }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('log').getByText('two').waitFor()
  await until(page, "document.activeElement.tagName === 'TEXTAREA'")
  await page.keyboard.type('four')
  expect(await field.inputValue()).toBe('four')

  // Back over the menu of other things to send, the messages are the next stop, and before them the menu of the conversation.
  for (const key of ['Shift+Tab', 'Shift+Tab']) await page.keyboard.press(key)
  expect(await focus()).toContain('role="log"')
  await page.keyboard.press('ArrowUp')
  expect(await text()).toContain('three')
  await page.keyboard.press('ArrowUp')
  expect(await text()).toContain('two')
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Reply' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('menuitem', { name: 'Reply' }).waitFor({ state: 'detached' })
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowRight')
  expect(await focus()).toContain('href="https://example.org/three"')
  await page.keyboard.press('Tab')
  expect(await focus()).toContain('Send something else')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Shift+Tab')
  expect(await focus()).toContain('Actions for this conversation')

  // A letter goes to the field wherever the focus is, and is no shortcut: `n` would open a menu.
  await page.keyboard.type('n')
  expect(await field.inputValue()).toBe('fourn')
  expect(await page.getByRole('menuitem', { name: 'New group' }).count()).toBe(0)

  // From an address, too; on a phone the keyboard would hide the messages.
  await page.goto(`/console/chats/${id}`)
  await until(page, "document.activeElement.tagName === 'TEXTAREA'")
  const phone = await browser.signedIn(lena, { isPhone: true })
  await phone.goto(`/console/chats/${id}`)
  await phone.getByRole('log').getByText('two').waitFor()
  await phone.getByRole('textbox', { name: 'Message' }).waitFor()
  expect(await phone.evaluate<string>('document.activeElement.tagName')).toBe('BODY')
})

test('a dialog keeps the focus, Escape closes it, and the focus returns to the button that opened it', async () => {
  const { id } = ok(await bob.call('qrCodes.create', { body: { name: 'Menu', content: 'https://example.org' } })).data
  const page = await browser.signedIn(bob)
  await page.goto('/console/codes')
  await page.getByRole('link', { name: 'Menu' }).waitFor()
  await tabTo(page, 'New folder')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await settled(page)
  const stops = new Set<string>()
  const isInside = () => page.evaluate<boolean>("document.activeElement.closest('[role=dialog]') !== null")
  for (let i = 0; i < 12; i++) {
    expect(await isInside()).toBe(true)
    stops.add((await focused(page)).name)
    await page.keyboard.press('Tab')
  }
  expect([...stops]).toEqual(expect.arrayContaining(['Cancel', 'Save']))
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect((await focused(page)).name).toBe('New folder')

  // `e` in a row changes the target of its code, and the focus is in the row again.
  await tabTo(page, 'Menu')
  await page.keyboard.press('e')
  await page.getByRole('dialog', { name: 'Change the target of “Menu”' }).waitFor()
  await page.getByText('print them again').waitFor()
  expect((await focused(page)).name).toMatch(/^Web address/)
  await page.keyboard.press('Control+A')
  await page.keyboard.type('example.org/lunch')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect((await focused(page)).name).toBe('Menu')
  const changed = ok(await bob.call('qrCodes.get', { params: { id } })).data
  expect(changed).toMatchObject({ name: 'Menu', content: 'https://example.org/lunch' })

  // Opens the menu of a row and then its dialog. After it the focus is on the row again.
  await tabTo(page, 'Actions for Menu')
  await page.keyboard.press('Enter')
  await page.getByRole('menu').waitFor()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await settled(page)
  // The question begins with the harmless button.
  expect((await focused(page)).name).toBe('Cancel')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect((await focused(page)).name).toBe('Actions for Menu')

  // Selecting, and what the bar offers; after all codes are in the trash the page has a focus again.
  await tabTo(page, 'Select all shown', 'Shift+Tab')
  await page.keyboard.press('Space')
  await page.getByText('1 selected').waitFor()
  expect((await focused(page)).name).toBe('Select all shown')
  await tabTo(page, 'Trash')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await settled(page)
  await tabTo(page, 'Move it to the trash')
  await page.keyboard.press('Enter')
  await page.getByText('No codes yet').waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect((await bob.call('qrCodes.get', { params: { id } })).status).toBe(404)
  expect(await focused(page)).toMatchObject({ name: 'QR codes', tag: 'h1' })
})

test('after a notification was deleted the focus is on the next one, or on the title', async () => {
  const carol = await server.person()
  for (const name of ['Boat house', 'Garden club']) {
    const { id } = ok(await alice.call('orgs.create', { body: { name } })).data
    ok(await alice.call('orgs.invite', { params: { id }, body: { userIds: [carol.id] } }))
  }
  const page = await browser.signedIn(carol)
  await page.goto('/console/notifications')
  const focus = "document.activeElement.matches('[data-notification], h1')"
  for (const [name, expected] of [
    ['Garden club', `${focus} && document.activeElement.textContent.includes('Boat house')`],
    // After it there is one of the sign-in on a new device, or nothing.
    ['Boat house', focus],
  ] as const) {
    await page.getByRole('button', { name: new RegExp(`^Delete: .*${name}`) }).focus()
    await page.keyboard.press('Enter')
    const question = page.getByRole('dialog', { name: 'Delete this notification?' })
    await question.getByText(new RegExp(name)).waitFor()
    await question.getByRole('button', { name: 'Delete' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: new RegExp(name) }).waitFor({ state: 'detached' })
    await until(page, expected)
  }
})

test('shortcuts that open a page move the focus to its title, also in the chats', async () => {
  const page = await browser.signedIn(await server.person())
  await page.goto('/console/codes')
  await page.getByText('No codes yet').waitFor()
  await page.keyboard.type('gm')
  await heading(page, 'Chats')
  await until(page, "document.activeElement.tagName === 'H1'")
  // A conversation that does not exist has a title and, on a phone, a way back.
  browser.allow(/404/)
  const phone = await browser.signedIn(bob, { isPhone: true })
  await phone.goto('/console/chats/999999')
  await heading(phone, 'No such conversation')
  expect(await phone.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  await phone.getByRole('link', { name: 'Back to the chats' }).click()
  await heading(phone, 'Chats')
})

test('a window that is narrow by zoom folds the menu, opens it on demand, and leaves that of wide ones as it was', async () => {
  const page = await browser.signedIn(alice)
  const isWide = (width: number) =>
    until(page, `document.querySelector('nav[aria-label=Menu]').offsetWidth === ${width}`)
  await page.goto('/console/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await isWide(248)
  // 1280 pixels at 200 %.
  await page.setViewportSize({ width: 640, height: 400 })
  await isWide(56)
  await page.getByRole('button', { name: 'Open menu' }).press('Enter')
  await isWide(248)
  await menuLink(page, 'QR codes').press('Enter')
  await isWide(56)
  await page.setViewportSize({ width: 1280, height: 800 })
  await isWide(248)
})

test('buttons have 44 pixels for fingers, and the menu is a list of links', async () => {
  const page = await browser.signedIn(bob, { isPhone: true })
  for (const path of ['/console/', '/console/codes', '/console/codes/new', '/console/notifications']) {
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await settled(page)
    const small = await page.evaluate<string[]>(`
      [...document.querySelectorAll('header a, button.MuiButton-root, a.MuiButton-root, .MuiIconButton-root, .MuiToggleButton-root')]
        .map((one) => [one, one.getBoundingClientRect()])
        .filter(([, { width, height }]) => width > 0 && (height < 44 || width < 44))
        .map(([one]) => one.outerHTML.slice(0, 200))`)
    expect(small, path).toEqual([])
  }
  await page.getByRole('button', { name: 'Menu' }).click()
  await menuLink(page, 'Contacts').waitFor()
  expect(await page.getByRole('menu').count()).toBe(0)
})

test('the bar of a phone has the four parts that its user chooses, and none that the user may not open', async () => {
  const page = await browser.signedIn(bob, { isPhone: true })
  await page.goto('/console/codes')
  const bar = page.getByRole('navigation', { name: 'Main navigation' })
  const parts = async () => (await bar.innerText()).split('\n').filter(Boolean)
  await bar.getByRole('link', { name: 'Scan' }).waitFor()
  expect(await parts()).toEqual(['QR codes', 'Activities', 'Scan', 'Chats', 'Menu'])

  // At the keyboard: the boxes are stops of Tab, and the space bar switches them.
  await bar.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('button', { name: 'Edit bar' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit bar' })
  const assets = dialog.getByRole('checkbox', { name: 'Assets' })
  await assets.waitFor()
  expect(await assets.isDisabled()).toBe(true)
  await dialog.getByRole('checkbox', { name: /^Activities/ }).focus()
  await page.keyboard.press('Space')
  await assets.focus()
  await page.keyboard.press('Space')
  await dialog.getByText('Place 4').waitFor()
  expect(await barriers(page)).toEqual([])
  await screenshot(page, 'bar-dialog')
  const small = await dialog
    .locator('label')
    .evaluateAll((rows) => rows.filter((row) => row.getBoundingClientRect().height < 44).length)
  expect(small).toBe(0)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await parts()).toEqual(['QR codes', 'Scan', 'Chats', 'Assets', 'Menu'])
  await bar.getByRole('link', { name: 'Assets' }).click()
  await page.getByRole('heading', { name: 'Assets', level: 1 }).waitFor()
  await screenshot(page, 'bar')

  // The choice stays, but a part that may no longer be opened is left out. Another user has the usual bar.
  await page.route('**/api/rbac/my-permissions', async (route) => {
    const answer = await route.fetch()
    const { data, ...envelope } = await answer.json()
    const app = (data.app as string[]).filter((point) => !point.startsWith('asset:'))
    await route.fulfill({ response: answer, json: { ...envelope, data: { ...data, app } } })
  })
  // Until the answer arrives, the page goes by the permissions that it knew last.
  const permissions = page.waitForResponse('**/api/rbac/my-permissions')
  await page.reload()
  await permissions
  await bar.getByRole('link', { name: 'Chats' }).waitFor()
  await bar.getByRole('link', { name: 'Assets' }).waitFor({ state: 'detached' })
  expect(await parts()).toEqual(['QR codes', 'Scan', 'Chats', 'Menu'])
  await page.evaluate((other) => {
    const kept = JSON.parse(localStorage.getItem('tessera.bar')!)
    localStorage.setItem('tessera.bar', JSON.stringify({ [other]: Object.values(kept)[0] }))
  }, bob.id + 1)
  await page.reload()
  await bar.getByRole('link', { name: 'Activities' }).waitFor()
  expect(await parts()).toEqual(['QR codes', 'Activities', 'Scan', 'Chats', 'Menu'])
})

test('“Show more” keeps the focus at the end of the list, also when the last rows have come', async () => {
  for (let n = 1; n <= 65; n++) ok(await alice.call('qrCodes.create', { body: { name: `Row ${n}`, content: `${n}` } }))
  const { total } = ok(await alice.call('qrCodes.list')).data
  const page = await browser.signedIn(alice)
  await page.goto('/console/codes')
  const focused = page.locator(':focus')
  await page.getByRole('button', { name: `Show more (30 / ${total})` }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: `Show more (60 / ${total})` }).waitFor()
  expect(await focused.innerText()).toBe(`Show more (60 / ${total})`)
  await page.keyboard.press('Enter')
  await page.getByText(`All ${total} are shown.`).waitFor()
  expect(await focused.innerText()).toBe(`All ${total} are shown.`)
})
