/** Lost and found in the browser: a finder on the public page, with and without scripts, and the owner in the web application. */

import { describe, expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { createAsset, getAsset, updateAsset } from '../assets/helpers.ts'
import { findableAsset, findableCode, newestReport, pathOf, reading, report } from '../found/helpers.ts'
import { ok, until, useServer } from '../harness/index.ts'
import { createCode } from '../qr-codes/helpers.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'
import { choose } from './workspace.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })
const browser = useBrowser(server)

const HTML = `<img src=x onerror=alert(1)>"'&</textarea>`

/** The page as it must be for everyone. */
async function expectUsable(page: Page, name: string): Promise<void> {
  expect(await isTooWide(page)).toBe(false)
  expect(await barriers(page)).toEqual([])
  await screenshot(page, name)
}

describe('a finder', () => {
  test.each([
    { name: 'with scripts off, in Chinese, on a phone', locale: 'zh-CN', isPhone: true },
    { name: 'with scripts off, in English, on a desktop', locale: 'en', isPhone: false },
  ] as const)('$name writes, keeps the link, reads the answer and writes again', async ({ locale, isPhone }) => {
    const zh = locale === 'zh-CN'
    const code = await findableCode(alice, { name: `${HTML} حقيبة`, content: HTML })
    ok(await alice.call('found.updateCodeCard', { params: { id: code.id }, body: { text: `الرجاء الكتابة\n${HTML}` } }))
    const page = await browser.page({ locale, isPhone, hasScripts: false })
    await page.goto(pathOf(code))
    await page.getByRole('heading', { name: zh ? '你捡到了它吗？' : 'Have you found this?' }).waitFor()
    await page.getByText('الرجاء الكتابة').waitFor()
    expect(await page.getByRole('button', { name: zh ? '附上我的位置' : 'Add my position' }).count()).toBe(0)
    await screenshot(page, `found-form-${locale}`)
    await reading(server)
    await page.getByLabel(zh ? '留言内容' : 'Your message').fill(`وجدتها في الحافلة\n${HTML}`)
    await page.getByLabel(zh ? '你的联系方式' : 'How to reach you').fill(HTML)
    await page.getByRole('button', { name: zh ? '发送给失主' : 'Send to the owner' }).click()
    await page.getByRole('heading', { name: zh ? '谢谢！留言已发送' : 'Thank you!' }).waitFor()
    await screenshot(page, `found-sent-${locale}`)
    const { id, messages, contact } = await newestReport(alice)
    expect([messages[0]!.text, contact]).toEqual([`وجدتها في الحافلة\n${HTML}`, HTML])
    ok(await alice.call('found.answer', { params: { id }, body: { message: `谢谢你！\n${HTML}` } }))

    await page.getByRole('link', { name: zh ? '打开对话' : 'Open the conversation' }).click()
    await page.getByText('谢谢你！').waitFor()
    await page.getByLabel(zh ? '留言内容' : 'Your message').fill('مع السلامة')
    await page.getByRole('button', { name: zh ? '发送' : 'Send' }).click()
    await page.getByText('مع السلامة').waitFor()
    await screenshot(page, `found-thread-${locale}`)
    // Reloading the page sends nothing again.
    await page.reload()
    expect(await page.locator('.talk li').count()).toBe(3)
    expect(await page.locator('main img:not(.qr)').count()).toBe(0)
    for (const hidden of ['alice', code.uuid]) expect(await page.content()).not.toContain(hidden)
  })

  test('sends the position only after a tap, and can take it back', async () => {
    const asset = await findableAsset(alice, { name: 'Violin' })
    const page = await browser.page({ permissions: ['geolocation'], isPhone: true })
    await page.context().setGeolocation({ latitude: 30.2426, longitude: 120.1494, accuracy: 12 })
    const send = async (prepare: () => Promise<unknown>) => {
      await page.goto(pathOf(asset))
      await page.getByRole('button', { name: 'Add my position' }).waitFor()
      await reading(server)
      await prepare()
      await page.getByLabel('Your message').fill('Here it is')
      await page.getByRole('button', { name: 'Send to the owner' }).click()
      await page.getByRole('heading', { name: 'Thank you!' }).waitFor()
      return (await newestReport(alice)).position
    }
    const add = async () => {
      await page.getByRole('button', { name: 'Add my position' }).click()
      await page.getByText('Your position will be sent with the message.').waitFor()
    }
    expect(await send(() => Promise.resolve())).toBeNull()
    expect(await send(add)).toEqual({ latitude: 30.2426, longitude: 120.1494, accuracy: 12, address: null })
    const removed = await send(async () => {
      await add()
      await expectUsable(page, 'found-position')
      await page.getByRole('button', { name: 'Do not send my position' }).click()
    })
    expect(removed).toBeNull()
  })

  test('who sends the form twice learns that the page must be opened again', async () => {
    browser.allow(/status of 400/)
    const page = await browser.page()
    await page.goto(pathOf(await findableAsset(alice)))
    await reading(server)
    await page.getByLabel('Your message').fill('found')
    await page.getByRole('button', { name: 'Send to the owner' }).click()
    await page.getByRole('heading', { name: 'Thank you!' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'open the page again' }).waitFor()
  })
})

describe('the owner', () => {
  test('is offered the card for a lost asset, reads the message, answers, and has the asset back', async () => {
    const asset = await createAsset(alice, { name: 'Cello', publicFields: ['name'] })
    ok(await updateAsset(alice, asset.id, { status: 'LOST' }))
    const page = await browser.signedIn(alice)
    await page.goto(`/console/assets/${asset.id}`)
    await page.getByText('This is lost. Do you want to let finders write to you?').waitFor()
    await page.getByRole('button', { name: 'Show finders a card' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Your text for the finder').fill('Please write to me')
    await screenshot(page, 'found-card-dialog')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The card was saved.').waitFor()
    await page.getByText('While the status is “Lost”').waitFor()
    expect(ok(await alice.call('found.assetCard', { params: { id: asset.id } })).data).toMatchObject({
      when: 'LOST',
      text: 'Please write to me',
    })

    await report(server, asset, { message: `وجدت الكمان\n${HTML}`, contact: HTML, latitude: 30.25, longitude: 120.15 })
    // The badge and the notification come by themselves.
    await page.getByRole('link', { name: /Found/ }).getByText(/^\d+$/).waitFor()
    await page.getByRole('link', { name: /Found/ }).click()
    await page.getByRole('link', { name: 'Cello' }).click()
    await page.getByText('وجدت الكمان').waitFor()
    await page.getByRole('link', { name: '30.25000, 120.15000' }).waitFor()
    await page.getByRole('textbox', { name: 'Your answer' }).fill('Where is it?')
    await page.getByRole('button', { name: 'Send answer' }).click()
    await page.getByText('The answer was sent.').waitFor()
    await page.getByRole('listitem').getByText('Where is it?').waitFor()
    expect(await page.getByRole('textbox', { name: 'Your answer' }).inputValue()).toBe('')
    await expectUsable(page, 'found-report')
    expect(await page.locator('#main-content img').count()).toBe(0)
    await page.getByRole('button', { name: 'I have it back' }).click()
    await page.getByText('You have it back.').waitFor()
    expect(ok(await getAsset(alice, asset.id)).data.status).toBe('IN_USE')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('The report was deleted.').waitFor()
    await until(
      async () => ok(await alice.call('found.reports', { query: { status: 'RETURNED' } })).data.total === 0,
      'the report is gone',
    )
  })

  test('without open messages is not told that nobody has written', async () => {
    await report(server, await findableAsset(bob, { name: 'Flute' }))
    const { id } = await newestReport(bob)
    ok(await bob.call('found.changeStatus', { params: { id }, body: { status: 'RETURNED' } }))
    const page = await browser.signedIn(bob)
    await page.goto('/console/found')
    await page.getByRole('heading', { name: 'No open messages' }).waitFor()
    await page.getByRole('button', { name: 'All' }).last().click()
    await page.getByRole('link', { name: 'Flute' }).waitFor()
    // Somebody else deletes the message, of which a notification is left.
    browser.allow(/status of 404/)
    ok(await bob.call('found.deleteReport', { params: { id } }))
    await page.goto(`/console/found/${id}`)
    await page.getByRole('heading', { name: 'This message no longer exists' }).waitFor()
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Message of a finder')
  })

  test('changes the card of a code on a phone in Chinese, closes a conversation and opens it again', async () => {
    const code = await createCode(alice, { name: '书包' })
    const page = await browser.signedIn(alice, { isPhone: true, locale: 'zh-CN' })
    await page.goto(`/console/codes/${code.id}`)
    await page.getByRole('button', { name: '更改: 丢失时' }).click()
    await choose(page, '向捡到的人显示卡片', '始终')
    await page.getByRole('dialog').getByRole('button', { name: '保存' }).click()
    await page.getByText('公开页面开放后，捡到的人才能看到。').waitFor()
    await expectUsable(page, 'found-card-code')
    ok(await alice.call('qrCodes.publish', { params: { id: code.id }, body: { isPublic: true } }))
    await report(server, code, { message: '捡到了' })
    await page.goto('/console/found')
    await page.getByRole('link', { name: '书包' }).waitFor()
    await expectUsable(page, 'found-list')
    await page.getByRole('link', { name: '书包' }).click()
    await page.getByRole('button', { name: '关闭对话' }).click()
    await page.getByRole('dialog').getByRole('button', { name: '关闭对话' }).click()
    await page.getByText('你已关闭此对话。').waitFor()
    expect((await newestReport(alice)).status).toBe('CLOSED')
    await page.getByRole('button', { name: '重新打开' }).click()
    await page.getByRole('textbox', { name: '回复内容' }).waitFor()
    await expectUsable(page, 'found-report-phone')
  })
})
