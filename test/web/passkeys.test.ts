/** Passkeys in the web application, with the virtual authenticator of Chromium. */

import { beforeAll, expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { addPasskey } from '../harness/authenticator.ts'
import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { barriers, useBrowser } from './browser.ts'

const { server, owner, mei } = useServer({ people: ['owner', 'mei'] })
/** Passkeys are for names, not for addresses. */
const local = {
  get url() {
    return server.url.replace('127.0.0.1', 'localhost')
  },
}
const browser = useBrowser(local)

// The server of this process has its default public URL; an executable takes the port that it got.
beforeAll(() => {
  if (inProcess) Object.assign(server.ctx.config, { publicUrl: local.url })
})

async function withAuthenticator(page: Page): Promise<void> {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('WebAuthn.enable')
  await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

const SETTINGS = (id: number) => `/console/orgs/${id}?tab=settings`
const signOut = (page: Page) => page.context().clearCookies({ name: /refresh/ })

async function addKey(page: Page): Promise<void> {
  await page.goto('/console/account/security')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('Passkey added.').waitFor()
}

test('a user adds a passkey, names it, makes it the second factor and signs in with it', async () => {
  const person = await server.person()
  const page = await browser.signedIn(person)
  await withAuthenticator(page)
  await addKey(page)
  const list = page.getByRole('list', { name: 'Passkeys' })
  await list.getByText('Phone or computer').waitFor()
  expect(await barriers(page)).toEqual([])

  await list.getByRole('button', { name: /^Rename/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Desk')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await list.getByText('Desk').waitFor()

  await page.getByRole('button', { name: 'Ask for a passkey at every sign-in' }).click()
  await dialog.getByRole('button', { name: 'Ask for a passkey at every sign-in' }).click()
  await page.getByRole('button', { name: 'I have saved them' }).click()
  await page.getByText('Every sign-in asks for a passkey.').waitFor()

  // The virtual authenticator takes what the browser offers in the field for the name.
  browser.allow(/status of 401/)
  await signOut(page)
  await page.goto('/console/login')
  await page.waitForURL((url) => !url.pathname.endsWith('/login'))
})

test('a passkey opens a session by itself, and after the password as second factor, which a trusted device is then spared', async () => {
  browser.allow(/status of 40[13]/)
  const person = await server.person()
  const page = await browser.signedIn(person, { isPhone: true })
  await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
  await withAuthenticator(page)
  await addKey(page)
  await page.getByRole('button', { name: 'Ask for a passkey at every sign-in' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Ask for a passkey at every sign-in' }).click()
  await page.getByRole('button', { name: 'I have saved them' }).click()

  await signOut(page)
  await page.goto('/console/login')
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL((url) => !url.pathname.endsWith('/login'))

  await signOut(page)
  await page.goto('/console/login')
  await password(page, person)
  await page.getByLabel('Trust this device for 30 days').check()
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.waitForURL((url) => !url.pathname.endsWith('/login'))

  await signOut(page)
  await page.goto('/console/login')
  await password(page, person)
  await page.waitForURL((url) => !url.pathname.endsWith('/login'))

  await page.goto('/console/account/devices')
  await page.getByText(/Needs no second factor until/).waitFor()
  await page.getByRole('button', { name: /^Stop trusting Chrom/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Stop trusting' }).click()
  await page.getByText('Trust ended.').waitFor()
  await page.getByText(/Needs no second factor until/).waitFor({ state: 'hidden' })
})

async function password(page: Page, person: Person): Promise<void> {
  await page.getByLabel('Username, e-mail or phone').fill(person.username)
  await page.getByLabel('Password').last().fill(person.password)
  await page.keyboard.press('Enter')
}

test('a changed password keeps passkeys of other devices if the user, who sees their names, wants it', async () => {
  browser.allow(/status of 401|WebSocket/)
  const person = await server.person()
  await addPasskey(person, 'Desk')
  const page = await browser.signedIn(person)
  await page.goto('/console/account/security')
  await page.getByRole('button', { name: 'Change password' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Current password').fill(person.password)
  await dialog.getByLabel('New password').fill('seven yellow roofs')
  await dialog.getByRole('checkbox', { name: /Desk/ }).check()
  await dialog.locator('button[type=submit]').click()
  await page.getByText('Your password was changed. Sign in with the new one.').waitFor()
  await password(page, { ...person, password: 'seven yellow roofs' })
  await page.getByRole('button', { name: 'Profile' }).waitFor()
  await page.goto('/console/account/security')
  await page.getByRole('list', { name: 'Passkeys' }).getByText('Desk').waitFor()
})

test('an owner requires a second factor, sees who has one, and members without one are led to their account', async () => {
  browser.allow(/status of 40[013]/)
  const org = ok(await owner.call('orgs.create', { body: { name: 'School', joinPolicy: 'FREE' } })).data
  ok(await mei.call('orgs.joinByCode', { body: { code: org.code } }))
  const page = await browser.signedIn(owner)
  await page.goto(SETTINGS(org.id))
  const turnOn = async () => {
    await page.getByRole('button', { name: 'Require a second factor' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Require a second factor' }).click()
  }
  await turnOn()
  await page
    .getByText(/needs a second factor of your own account/)
    .first()
    .waitFor()
  await addPasskey(owner)
  const { recoveryCodes } = ok(await owner.call('passkeys.require', { body: { required: true } })).data
  // That ended the session of the page.
  await page.goto('/console/login')
  await password(page, owner)
  await page.getByLabel('Recovery code').fill(recoveryCodes![0]!)
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => !url.pathname.endsWith('/login'))
  await page.goto(SETTINGS(org.id))
  await turnOn()
  await page.getByRole('button', { name: 'No longer require a second factor' }).waitFor()
  await page.getByRole('tab', { name: 'Members' }).click()
  await page.getByText('No second factor').waitFor()

  const member = await browser.signedIn(mei, { locale: 'zh-CN', isPhone: true })
  await member.goto(`/console/orgs/${org.id}`)
  await member.getByText('该组织要求成员启用第二重验证').waitFor()
  await member.getByRole('link', { name: '设置' }).first().waitFor()
})
