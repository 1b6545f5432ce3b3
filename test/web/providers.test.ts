/** Sign-in by a provider in the web application: adding one, signing in, linking an account, and leaving other ways to administrators. */

import { afterAll, describe, expect, test } from 'bun:test'

import { ok, useServer } from '../harness/index.ts'
import { startLiar } from '../oidc/helpers.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'

const provider = await startLiar()
afterAll(() => provider.stop())

/** Cookies of the sign-in are those of the public address, so the server must have it. */
async function freePort(): Promise<number> {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { port } = server
  await server.stop()
  return port!
}
const port = await freePort()
const { server, admin, alice } = useServer({
  people: ['alice'],
  config: { port, publicUrl: `http://127.0.0.1:${port}`, privateTargets: [provider.issuer] },
})
const browser = useBrowser(server)
const allowProvider = () => browser.allow(new RegExp(`foreign request: ${provider.issuer}`))

describe('sign-in by a provider', () => {
  test('is set up by an administrator, who checks it and maps a group to an organization', async () => {
    ok(await admin.post('/api/orgs', { name: 'The school' }))
    const page = await browser.signedIn(admin)
    await page.goto('/console/admin/sign-in')
    await page.getByRole('button', { name: 'Add a provider' }).click()
    await page.getByLabel('Name on the button').fill('School account')
    await page.getByLabel('Key').fill('school')
    await page.getByLabel('Issuer').fill(provider.issuer)
    await page.getByLabel('Client id').fill('tessera')
    await page.getByLabel('Client secret').fill('a secret of the client')
    await page.getByLabel('Make an account').check()
    await page.getByRole('button', { name: 'Add a group' }).click()
    await page.getByRole('textbox', { name: 'Group', exact: true }).fill('staff')
    await page.getByRole('combobox', { name: 'Organization' }).fill('The sch')
    await page.getByRole('option', { name: /The school/ }).click()
    expect(await barriers(page)).toEqual([])
    await screenshot(page, 'provider-form')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(`http://127.0.0.1:${port}/api/auth/oidc/school/callback`).waitFor()
    await page.getByRole('button', { name: 'Check: School account' }).click()
    await page.getByText('School account works.').waitFor()
    expect({ barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
      barriers: [],
      isTooWide: false,
    })
    await screenshot(page, 'providers')

    await page.getByRole('button', { name: 'Edit: School account' }).click()
    await page.getByLabel('Users can sign in with it').uncheck()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Off').waitFor()
    const [row] = ok(await admin.call('admin.oidcProviders.list')).data.items
    expect(row).toMatchObject({ enabled: false, hasSecret: true, roleMap: [{ group: 'staff', roleCode: 'MEMBER' }] })
    ok(await admin.call('admin.oidcProviders.update', { params: { id: row!.id }, body: { enabled: true } }))
  })

  test('leads back to the page that was wanted, and the address loses the ticket', async () => {
    allowProvider()
    provider.claims = { sub: 'mei', name: 'Lin Mei', groups: ['staff'] }
    const page = await browser.page({ isPhone: true })
    await page.goto('/console/account/security')
    await page.getByRole('link', { name: 'Sign in with School account' }).waitFor()
    expect({ barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
      barriers: [],
      isTooWide: false,
    })
    await screenshot(page, 'sign-in-provider')
    await page.getByRole('link', { name: 'Sign in with School account' }).click()
    await page.getByText('Sign-in with a provider').waitFor()
    expect(page.url()).toBe(`${server.url}/console/account/security`)
    await page.getByText('School account', { exact: true }).waitFor()
    await page.reload()
    await page.getByText('Sign-in with a provider').waitFor()
  })

  test('says why it failed', async () => {
    const page = await browser.page({ locale: 'zh-CN' })
    await page.goto('/console/login?error=unknown')
    await page.getByText('此账号尚未与本站用户关联').waitFor()
  })

  test('is linked by a user and unlinked again', async () => {
    allowProvider()
    provider.claims = { sub: 'of alice' }
    const page = await browser.signedIn(alice)
    await page.goto('/console/account/security')
    await page.getByRole('button', { name: 'Link School account' }).click()
    await page.getByText('The account is linked.').waitFor()
    expect(page.url()).toBe(`${server.url}/console/account/security`)
    expect(ok(await alice.call('oidc.identities')).data.items).toHaveLength(1)
    await page.getByRole('button', { name: 'Unlink: School account' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click()
    await page.getByText('The account is unlinked.').waitFor()
    expect(ok(await alice.call('oidc.identities')).data.items).toEqual([])
  })

  test('is the only way for users if an administrator says so', async () => {
    const [row] = ok(await admin.call('admin.oidcProviders.list')).data.items
    ok(await admin.call('admin.oidcProviders.check', { params: { id: row!.id } }))
    const console = await browser.signedIn(admin)
    await console.goto('/console/admin/sign-in')
    await console.getByRole('button', { name: 'Only with a provider' }).click()
    await console.getByRole('dialog').getByRole('button', { name: 'Only with a provider' }).click()
    await console.getByText('Only administrators can sign in without a provider.').waitFor()

    const page = await browser.page()
    await page.goto('/console/login')
    await page.getByRole('button', { name: 'Administrators' }).waitFor()
    expect(await page.getByLabel('Username, e-mail or phone').count()).toBe(0)
    await screenshot(page, 'sign-in-provider-only')
    await page.getByRole('button', { name: 'Administrators' }).click()
    await page.getByLabel('Username, e-mail or phone').fill(admin.username)
    await page.getByLabel('Password').last().fill(admin.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: 'Profile' }).waitFor()
    await console.getByRole('button', { name: 'Allow other ways' }).click()
    await console.getByRole('dialog').getByRole('button', { name: 'Allow other ways' }).click()
    await console.getByText('Everyone can also sign in').waitFor()
  })
})
