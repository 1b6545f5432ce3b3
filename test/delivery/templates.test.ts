/** The texts of e-mails and SMS. */

import { describe, expect, test } from 'bun:test'

import type { CodePurpose, NoticeData, NoticeKind } from '#domains/delivery/index.ts'
import { codeLetter, codeSms } from '#domains/delivery/index.ts'
import { moment, noticeLetter } from '#domains/delivery/templates/notices.ts'

const PURPOSES: CodePurpose[] = ['LOGIN', 'BIND', 'ACCOUNT_LINK', 'RESET', 'CHANGE']
const LOCALES = ['en', 'zh'] as const
const URL = 'https://qr.example.org'
const SENDER = { name: 'Tessera', shortName: 'Tessera', publicUrl: URL }
const AT = Date.UTC(2026, 10, 21, 8, 5)

const NOTICES: { [K in NoticeKind]: NoticeData[K] } = {
  PASSWORD_SET: { at: AT },
  PASSWORD_CHANGED: { at: AT },
  USERNAME_CHANGED: { at: AT, username: 'ann' },
  DATA_EXPORTED: { at: AT },
  DATA_EXPORTED_BY_ADMINISTRATOR: { at: AT },
  IDENTITY_BOUND: { at: AT, identity: '+8613800138000' },
  IDENTITY_UNBOUND: { at: AT, identity: 'ann.smith@example.com' },
  TOTP_ENABLED: { at: AT },
  TOTP_DISABLED: { at: AT },
  RECOVERY_CODES_REPLACED: { at: AT },
  RECOVERY_CODE_USED: { at: AT, left: 9 },
  TOTP_GUESSED: { at: AT, wrong: 5 },
  PASSKEY_ADDED: { at: AT, passkey: 'Pixel 9' },
  PASSKEY_RENAMED: { at: AT, passkey: 'Pixel 9' },
  PASSKEY_REMOVED: { at: AT, passkey: 'Pixel 9' },
  PASSKEY_SUSPECT: { at: AT, passkey: 'Pixel 9' },
  PASSKEYS_REQUIRED: { at: AT },
  PASSKEYS_OPTIONAL: { at: AT },
  TRUST_ENDED: { at: AT },
  EMAIL_RESTORED: { at: AT },
  NEW_DEVICE: { at: AT, device: 'Pixel 9', ip: '203.0.113.9', city: '深圳市' },
  ACCOUNT_LINKED: { at: AT, account: 'bob' },
  ACCOUNT_UNLINKED: { at: AT, account: 'bob' },
  API_KEY_CREATED: { at: AT, key: 'Home Assistant' },
  API_KEY_REVOKED: { at: AT, key: 'Home Assistant' },
  API_KEY_EXPIRING: { at: AT, key: 'Home Assistant' },
  ACCOUNT_DELETED: { at: AT },
  FOUND: { at: AT, title: 'Violin 3', path: '/console/found/7' },
  MORE_EVENTS: { at: AT },
}
const KINDS = Object.keys(NOTICES) as NoticeKind[]

const isChinese = (text: string): boolean => /\p{Script=Han}/u.test(text)

describe('messages with codes', () => {
  test.each(PURPOSES)('exist for %s in both languages, as e-mail and as SMS of one part', (purpose) => {
    for (const locale of LOCALES) {
      const letter = codeLetter({ purpose, code: '012345', minutes: 5 }, locale, SENDER)
      for (const part of [letter.subject, letter.text, letter.html]) {
        expect(part).toContain('012345')
        expect(isChinese(part)).toBe(locale === 'zh')
      }
      expect(letter.text).toContain(locale === 'zh' ? '5 分钟' : '5 minutes')
      expect(letter.text).toContain(URL)
      const sms = codeSms({ purpose, code: '012345', minutes: 5 }, locale, SENDER)
      expect(sms).toContain('012345')
      expect(isChinese(sms)).toBe(locale === 'zh')
      // Length of one billed part: 70 UTF-16 units, or 160 characters of the GSM alphabet.
      expect(sms.length).toBeLessThanOrEqual(locale === 'zh' ? 70 : 160)
      if (locale === 'en') expect(sms).toMatch(/^[\x20-\x7e]+$/)
    }
  })

  test('have a different text for each purpose, so that a code is not given away for another purpose', () => {
    for (const locale of LOCALES) {
      const texts = PURPOSES.map((purpose) => codeSms({ purpose, code: '1', minutes: 5 }, locale, SENDER))
      expect(new Set(texts).size).toBe(PURPOSES.length)
    }
  })

  test('use the singular for one minute', () => {
    expect(codeSms({ purpose: 'LOGIN', code: '1', minutes: 1 }, 'en', SENDER)).toContain('1 minute.')
  })
})

describe('notices', () => {
  test.each(KINDS)('exist for %s in both languages, with the time and with advice', (kind) => {
    for (const locale of LOCALES) {
      const letter = noticeLetter(kind, NOTICES[kind], locale, SENDER)
      for (const part of [letter.subject, letter.text, letter.html])
        expect(isChinese(part.replace('深圳市', ''))).toBe(locale === 'zh')
      expect(letter.text).toContain(moment(AT))
      expect(letter.html).toContain(moment(AT))
      if (kind === 'FOUND') expect(letter.text).toContain(locale === 'zh' ? '查看并回复' : 'Read and answer')
      else if (kind === 'DATA_EXPORTED_BY_ADMINISTRATOR')
        expect(letter.text).toContain(locale === 'zh' ? '如果你并未要求' : 'If you did not ask for this')
      else expect(letter.text).toContain(locale === 'zh' ? '如果这不是你本人' : 'If this was not you')
    }
  })

  test('contain device, place and IP address if they are known, and omit them otherwise', () => {
    const known = noticeLetter('NEW_DEVICE', NOTICES.NEW_DEVICE, 'en', SENDER)
    for (const part of [known.text, known.html])
      for (const word of ['Pixel 9', '203.0.113.9', '深圳市']) expect(part).toContain(word)
    const unknown = noticeLetter('NEW_DEVICE', { at: AT, device: '', city: '' }, 'en', SENDER)
    expect(unknown.text).not.toMatch(/Device|Place|IP address/)
  })

  test('contain the undo link if there is one, instead of the advice to change the password', () => {
    for (const locale of LOCALES) {
      const data = { at: AT, identity: 'ann@example.com', undoPath: '/account/undo-email?token=secret' }
      const { text, html } = noticeLetter('IDENTITY_BOUND', data, locale, SENDER)
      expect(text).toContain(`\n${URL}/account/undo-email?token=secret\n`)
      expect(html).toContain(`<a href="${URL}/account/undo-email?token=secret">`)
      expect(text).not.toContain(locale === 'zh' ? '修改密码' : 'change your password')
    }
  })

  test('show e-mail addresses and phone numbers only in part', () => {
    const bound = noticeLetter('IDENTITY_BOUND', NOTICES.IDENTITY_BOUND, 'en', SENDER)
    expect(bound.text).toContain('+86***00')
    expect(bound.text + bound.html).not.toContain('13800138000')
    const unbound = noticeLetter('IDENTITY_UNBOUND', NOTICES.IDENTITY_UNBOUND, 'en', SENDER)
    expect(unbound.text).toContain('a***@example.com')
    expect(unbound.text + unbound.html).not.toContain('ann.smith')
  })
})

describe('names chosen by an attacker', () => {
  const evil = '<a href="https://evil.example">call +1 555</a>\r\n\u202egnp.exe\u0000'

  test('add neither markup nor lines nor links to an e-mail', () => {
    for (const kind of ['NEW_DEVICE', 'ACCOUNT_LINKED', 'USERNAME_CHANGED'] as const) {
      const data = { at: AT, device: evil, city: evil, account: evil, username: evil }
      const { subject, text, html } = noticeLetter(kind, data, 'en', SENDER)
      expect(html).not.toContain('<a ')
      expect(text + html).not.toContain('evil.example')
      expect(text + html).not.toContain('https://evil')
      for (const sign of ['\r', '\u202e', '\0']) expect(text).not.toContain(sign)
      expect(subject).not.toContain('evil')
    }
  })
})

test('the mail about a message of a finder names the thing and leads to the message', () => {
  for (const locale of LOCALES) {
    const { subject, text, html } = noticeLetter('FOUND', NOTICES.FOUND, locale, SENDER)
    expect(text).toContain('Violin 3')
    expect(text).toContain(`\n${URL}/console/found/7\n`)
    expect(html).toContain(`<a href="${URL}/console/found/7">`)
    expect(subject).not.toContain('Violin')
  }
})

test('the HTML of all e-mails loads no resources and runs no scripts', () => {
  const letters = LOCALES.flatMap((locale) => [
    ...PURPOSES.map((purpose) => codeLetter({ purpose, code: '1', minutes: 5 }, locale, SENDER)),
    ...KINDS.map((kind) => noticeLetter(kind, NOTICES[kind], locale, SENDER)),
  ])
  expect(letters).toHaveLength(2 * (PURPOSES.length + KINDS.length))
  for (const { html } of letters) {
    expect(html).toStartWith('<!doctype html>')
    // Only links to the server itself.
    expect(html.replaceAll(`href="${URL}/`, '')).not.toMatch(
      /<(?:script|img|link|iframe|object|form)\b|\bsrc=|\bhref=|url\(|@import|\bon\w+=/i,
    )
  }
})

test.each([
  ['Asia/Shanghai', '2026-11-21 16:05 (UTC+08:00)'],
  ['UTC', '2026-11-21 08:05 (UTC+00:00)'],
  ['America/St_Johns', '2026-11-21 04:35 (UTC-03:30)'],
])('times in the zone %s are formatted with the UTC offset', (zone, text) => {
  expect(moment(AT, zone)).toBe(text)
})
