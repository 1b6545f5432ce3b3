/** The user's own account in the web application, and the start page. */

import { describe, expect, test } from 'bun:test'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { stepAt, totp } from '#lib/totp.ts'

import { fromBase32 } from '../accounts/helpers.ts'
import { pathOf } from '../files/helpers.ts'
import { ok, useServer } from '../harness/index.ts'
import { createCode } from '../qr-codes/helpers.ts'
import { barriers, useBrowser } from './browser.ts'

const { server, admin } = useServer({ people: [] })
const browser = useBrowser(server)

describe('the account', () => {
  test('a user changes name and picture, and the bar shows them', async () => {
    const person = await server.person()
    const page = await browser.signedIn(person)
    await page.goto('/console/account')
    await page.getByLabel('Name', { exact: true }).fill('Ida Lovelace')
    await page.getByLabel('About you').fill('Counts things')
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.getByText('Profile saved').waitFor()
    const png = await page.screenshot({ clip: { x: 0, y: 0, width: 64, height: 64 } })
    await page.setInputFiles('input[type=file]', { name: 'me.png', mimeType: 'image/png', buffer: png })
    await page.getByText('Picture saved').waitFor()
    const user = ok(await person.call('profile.get')).data
    expect(user).toMatchObject({ nickname: 'Ida Lovelace', signature: 'Counts things' })
    expect(user.avatarUrl).not.toBeNull()
  })

  test('a picture whose upload was not answered is stored once, and can be removed', async () => {
    browser.allow(/ERR_CONNECTION_RESET/)
    const person = await server.person()
    const page = await browser.signedIn(person)
    await page.goto('/console/account')
    // The server stores the file, and the connection breaks before its answer arrives.
    const devTools = await page.context().newCDPSession(page)
    await devTools.send('Fetch.enable', { patterns: [{ urlPattern: '*/api/files/upload*', requestStage: 'Response' }] })
    devTools.once('Fetch.requestPaused', async ({ requestId }) => {
      await devTools.send('Fetch.failRequest', { requestId, errorReason: 'ConnectionReset' })
      await devTools.send('Fetch.disable')
    })
    const png = await page.screenshot({ clip: { x: 0, y: 0, width: 64, height: 64 } })
    const path = join(await mkdtemp(join(tmpdir(), 'tessera-')), 'me.png')
    await writeFile(path, png)
    await page.setInputFiles('input[type=file]', path)
    await page.getByText('The server cannot be reached').waitFor()
    await page.setInputFiles('input[type=file]', path)
    await page.getByText('Picture saved').waitFor()
    expect(ok(await person.call('profile.quotas')).data.files.used).toBe(1)
    await page.getByRole('button', { name: 'Remove picture' }).click()
    await page.getByRole('button', { name: 'Choose picture' }).waitFor()
    expect(ok(await person.call('profile.get')).data.avatarUrl).toBeNull()
  })

  test('a second factor is set up and switched off again, in Chinese', async () => {
    browser.allow(/status of 400/)
    const person = await server.person()
    const page = await browser.signedIn(person, { isPhone: true, locale: 'zh-CN' })
    await page.goto('/console/account/security')
    await page.getByRole('button', { name: '设置', exact: true }).click()
    const picture = page.getByRole('img', { name: '身份验证器二维码' })
    await picture.waitFor()
    expect(await picture.evaluate((image: { naturalWidth: number }) => image.naturalWidth)).toBeGreaterThan(0)
    const secret = (await page.locator('p', { hasText: /^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/ }).innerText()).replaceAll(
      ' ',
      '',
    )
    await page.getByLabel('应用中的验证码').fill('000000')
    await page.getByRole('button', { name: '开启' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('应用中的验证码').fill(totp(fromBase32(secret), stepAt(server.clock.now())))
    await page.getByRole('button', { name: '开启' }).click()
    const codes = page.getByRole('dialog', { name: '恢复码' })
    await codes.waitFor()
    expect(await codes.getByRole('listitem').count()).toBe(10)
    const recovery = await codes.getByRole('listitem').first().innerText()
    await codes.getByRole('button', { name: '我已保存' }).click()
    await page.getByText('恢复码剩余 10 个').waitFor()
    await page.getByRole('button', { name: '关闭' }).click()
    await page.getByLabel('应用中的验证码或恢复码').fill(recovery)
    await page.getByRole('dialog').getByRole('button', { name: '关闭' }).click()
    await page.getByText('未开启').waitFor()
  })

  test('a refusal with code 4031 asks for the password and repeats the change', async () => {
    // The last one is that no agreement is in effect.
    for (const status of [400, 401, 403, 404]) browser.allow(new RegExp(`status of ${status}`))
    const person = await server.person()
    const { publicUrl } = await createCode(person, { isPublic: true })
    const page = await browser.signedIn(person)
    await page.goto('/console/account/privacy')
    let isRefused = true
    await page.route('**/api/auth/account/delete', async (route) => {
      if (!isRefused) return await route.continue()
      isRefused = false
      const details = ['PASSWORD', 'SIGN_IN'].map((path) => ({ path, message: path }))
      await route.fulfill({ status: 403, json: { code: 4031, message: 'Confirm first', details, requestId: 'r' } })
    })
    await page.getByRole('button', { name: 'Delete account' }).click()
    const question = page.getByRole('dialog', { name: 'Delete account' })
    expect(await question.getByRole('button', { name: 'Delete account' }).isDisabled()).toBe(true)
    await question.getByLabel('Delete the content too').check()
    await question.getByText(/Backups of the server still have deleted data/).waitFor()
    await question.getByLabel(/delete my account/).fill('delete my account')
    await question.getByRole('button', { name: 'Delete account' }).click()
    const confirmation = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await confirmation.getByLabel('Password').fill('not the password')
    await confirmation.getByRole('button', { name: 'Confirm' }).click()
    await confirmation.locator('[name=password][aria-invalid=true]').waitFor()
    await confirmation.getByLabel('Password').fill(person.password)
    await confirmation.getByRole('button', { name: 'Confirm' }).click()
    await page.getByLabel('Username, e-mail or phone').waitFor()
    expect((await person.get('/api/auth/userinfo')).status).toBe(401)
    expect((await fetch(server.url + pathOf(publicUrl))).status).toBe(404)
  })

  test('the account is deleted without the content in Chinese, and the data is exported before', async () => {
    browser.allow(/status of 40[14]/)
    const person = await server.person()
    const { publicUrl } = await createCode(person, { isPublic: true })
    const page = await browser.signedIn(person, { locale: 'zh-CN', isPhone: true })
    await page.goto('/console/account/data')
    await page.getByRole('button', { name: '导出你的数据' }).click()
    const question = page.getByRole('dialog', { name: '导出你的数据' })
    await question.getByLabel('包含照片和其他文件').uncheck()
    await question.getByRole('button', { name: '导出你的数据' }).click()
    await page.getByText(/压缩包已就绪/).waitFor()
    expect(await barriers(page)).toEqual([])
    await page.goto('/console/account/privacy')
    await page.getByRole('button', { name: '注销账号' }).click()
    const end = page.getByRole('dialog', { name: '注销账号' })
    expect(await end.getByLabel('同时删除内容').isChecked()).toBe(false)
    await end.getByText(/服务器的备份/).waitFor()
    await end.getByLabel(/注销我的账号/).fill('注销我的账号')
    await end.getByRole('button', { name: '注销账号' }).click()
    await page.getByLabel('用户名、邮箱或手机号').waitFor()
    expect((await fetch(server.url + pathOf(publicUrl))).status).toBe(200)
  })

  test('exports the data, shows its state and downloads the archive', async () => {
    const person = await server.person()
    const page = await browser.signedIn(person)
    await page.goto('/console/account')
    await page.getByRole('tab', { name: 'Your data' }).click()
    await page.getByRole('button', { name: 'Export your data' }).click()
    const question = page.getByRole('dialog', { name: 'Export your data' })
    await question.getByRole('button', { name: 'Export your data' }).click()
    const ready = page.getByRole('button', { name: 'Download' })
    await ready.waitFor()
    const links = page.waitForRequest(/\/api\/auth\/export\/\w+\/download\?/)
    await ready.click()
    expect((await links).url()).toContain(`user=${person.id}`)
  })

  test('other devices are signed out at once', async () => {
    const person = await server.person()
    const page = await browser.signedIn(person)
    await page.goto('/console/account/devices')
    await page.getByRole('button', { name: 'Sign out all other devices' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Signed out.', { exact: true }).waitFor()
    expect((await person.get('/api/auth/userinfo')).status).toBe(401)
    await page.getByText('This device').waitFor()
  })

  test('a new version of an agreement is shown until it is accepted', async () => {
    const person = await server.person()
    ok(
      await admin.call('agreements.publish', {
        body: { type: 'SERVICE', title: 'Rules of the club', content: 'Be **kind**.' },
      }),
    )
    const page = await browser.signedIn(person, { isPhone: true })
    await page.goto('/console/')
    const dialog = page.getByRole('dialog', { name: 'Rules of the club' })
    await dialog.getByText('kind').waitFor()
    expect(await barriers(page)).toEqual([])
    await dialog.getByRole('button', { name: 'I accept' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(ok(await person.call('profile.get')).data.pendingAgreements).toEqual([])
  })
})
