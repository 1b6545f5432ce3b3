/** The token of a pass: how it is written and read, how large its QR code is, and how well scanners read that. */

import { describe, expect, test } from 'bun:test'
import { generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto'

import {
  decodeToken,
  encodeToken,
  MAX_TOKEN_TIME,
  PASS_PATH,
  TOKEN_CHARACTERS,
  type TokenPayload,
  uuidInLink,
} from '#domains/activities/pass-keys/pass-keys.rules.ts'
import { encodeQr } from '#lib/qr/index.ts'
import { toPng } from '#lib/qr/png.ts'

import { pictureOfPng, readByZxing } from '../lib/qr-pictures.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const signer = (bytes: Uint8Array) => sign(null, bytes, privateKey)

const PAYLOAD: TokenPayload = {
  keyId: 7,
  uuid: '7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f',
  activityId: 281_474_976_710_655,
  validFrom: 1_767_225_600_000,
  validTo: 1_767_312_000_000,
}
const TOKEN = encodeToken(PAYLOAD, signer)
const isVerified = (text: string) => {
  const decoded = decodeToken(text)
  return decoded !== undefined && verify(null, decoded.signed, publicKey, decoded.signature)
}

describe('The token of a pass', () => {
  test('contains the key, the pass, the activity and the validity, and its signature is verified', () => {
    const { signature: _, signed: __, ...payload } = decodeToken(TOKEN)!
    expect(payload).toEqual(PAYLOAD)
    expect(isVerified(TOKEN)).toBe(true)
    const without = { ...PAYLOAD, validFrom: null, validTo: null }
    expect(decodeToken(encodeToken(without, signer))).toMatchObject(without)
  })

  test('signs the bytes "tessera pass v1\\n" and all bytes before the signature', () => {
    const { signed } = decodeToken(TOKEN)!
    expect(signed.toHex()).toBe(
      Buffer.from('tessera pass v1\n').toString('hex') +
        '01' +
        '07' +
        '7f0c2d1e4b5a4c6d8e9f0a1b2c3d4e5f' +
        'ffffffffffff' +
        (1_767_225_600).toString(16) +
        (1_767_312_000).toString(16),
    )
  })

  test.each([
    [1, 1000, 1],
    [999, 1000, 999],
    [1_767_225_600_001, 1_767_225_601_000, 1_767_225_600_001],
    [MAX_TOKEN_TIME, MAX_TOKEN_TIME, MAX_TOKEN_TIME],
  ])('is not valid outside the times of the pass: from %d', (from, expectedFrom, to) => {
    const decoded = decodeToken(encodeToken({ ...PAYLOAD, validFrom: from, validTo: to }, signer))!
    expect(decoded.validFrom).toBe(expectedFrom)
    expect(decoded.validTo).toBe(Math.max(1000, Math.floor(to / 1000) * 1000))
  })

  test('a time after 2106 ends the token in 2106, and never means that there is no limit', () => {
    const decoded = decodeToken(encodeToken({ ...PAYLOAD, validTo: 8_640_000_000_000_000 }, signer))!
    expect(decoded.validTo).toBe(MAX_TOKEN_TIME)
  })

  test.each([
    ['bare', TOKEN],
    ['in lower case', TOKEN.toLowerCase()],
    ['with blanks around it', ` \n${TOKEN}\t`],
    ['in the link of a QR code', `HTTPS://QR.EXAMPLE.ORG${PASS_PATH}${TOKEN}`],
    ['in a link in lower case', `https://qr.example.org/s/pass/${TOKEN.toLowerCase()}`],
    ['in a link to another host', `http://10.0.0.7:8080/S/PASS/${TOKEN}`],
    ['in a path', `/s/pass/${TOKEN}`],
    ['in a link with a query', `https://qr.example.org/s/pass/${TOKEN}?lang=zh`],
    ['in a link with a slash at its end', `https://qr.example.org/s/pass/${TOKEN}/`],
  ])('is read %s', (_, text) => expect(isVerified(text)).toBe(true))

  test.each([
    ['empty', ''],
    ['one character short', TOKEN.slice(1)],
    ['one character long', `${TOKEN}A`],
    ['with a digit that base32 does not have', TOKEN.slice(0, -1) + '1'],
    ['with a letter that becomes ASCII in upper case', `ſ${TOKEN.slice(1)}`],
    ['with padding', `${TOKEN}======`],
    ['of another format', encodeToken(PAYLOAD, signer).replace(/^A/, 'B')],
    ['on another path', `https://qr.example.org/s/activity/${TOKEN}`],
    ['with another scheme', `javascript://qr.example.org/s/pass/${TOKEN}`],
    ['twice', `${TOKEN} ${TOKEN}`],
  ])('is not read %s', (_, text) => expect(decodeToken(text)).toBeUndefined())

  test('has one spelling: the bits after its last byte must be 0', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
    const spellings = [...alphabet].map((last) => TOKEN.slice(0, -1) + last).filter((text) => decodeToken(text))
    expect(spellings).toHaveLength(8)
    expect(spellings.filter(isVerified)).toEqual([TOKEN])
  })

  test('the uuid of a pass is read from the link of its page', () => {
    const { uuid } = PAYLOAD
    const texts = [uuid, uuid.toUpperCase(), `https://qr.example.org/s/pass/${uuid}`, `/s/pass/${uuid}?lang=zh`]
    expect(texts.map(uuidInLink)).toEqual([uuid, uuid, uuid, uuid])
    expect([TOKEN, '', 'x', `https://qr.example.org/s/activity/${uuid}`, `${uuid}0`].map(uuidInLink)).toEqual(
      Array.from({ length: 5 }, () => undefined),
    )
  })

  test('no altered character is verified', () => {
    for (let at = 0; at < TOKEN.length; at++) {
      const other = TOKEN[at] === 'A' ? 'B' : 'A'
      expect(isVerified(TOKEN.slice(0, at) + other + TOKEN.slice(at + 1))).toBe(false)
    }
  })

  test('100,000 random and altered texts are never verified and never cause an error', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567abcz0189=-/ ?#%\u0000é🎫'
    const pool = randomBytes(4_000_000)
    let at = 0
    const random = (below: number) => pool.readUInt16BE((at += 2) % (pool.length - 2)) % below
    const anyOf = (text: string) => text[random(text.length)]!
    let decodable = 0
    for (let i = 0; i < 100_000; i++) {
      let text = TOKEN
      if (i % 3 === 0)
        text = Array.from({ length: random(2) ? TOKEN_CHARACTERS : random(300) }, () =>
          anyOf(alphabet.slice(0, 32)),
        ).join('')
      else
        for (let edits = 1 + random(3); edits > 0; edits--) {
          const place = random(text.length)
          const change = anyOf(random(2) ? alphabet : alphabet.slice(0, 32))
          text = text.slice(0, place) + change + text.slice(place + random(3))
        }
      // Case and spaces around it do not matter.
      if (text.trim().toUpperCase() === TOKEN) continue
      const decoded = decodeToken(text)
      if (decoded === undefined) continue
      decodable++
      // Verifying takes 140 µs.
      if (decodable % 10 === 0 && verify(null, decoded.signed, publicKey, decoded.signature)) throw new Error(text)
    }
    expect(decodable).toBeGreaterThan(1000)
  })
})

describe('The QR code of a pass', () => {
  const contentAt = (publicUrl: string) => publicUrl.toUpperCase() + PASS_PATH + TOKEN

  test.each([
    ['https://qr.example.org', 6],
    ['http://192.168.100.200:8080', 6],
    // 25 characters after https://, the most for version 6.
    ['https://passes.club-example.com.cn', 7],
    ['https://passes.club-ex.com.cn', 6],
    ['https://12345.7890.12345.7890.123', 6],
    ['https://12345.7890.12345.7890.1234', 7],
  ])('at %s has version %d', (publicUrl, version) => expect(encodeQr(contentAt(publicUrl), 'L').version).toBe(version))

  test('is read from small pictures', async () => {
    const content = contentAt('https://qr.example.org')
    const matrix = encodeQr(content, 'L')
    for (const size of [49, 98, 147, 200, 300]) {
      const picture = pictureOfPng(toPng(matrix, { size, margin: 4, fg: '000000', bg: 'ffffff' }))
      expect(await readByZxing(picture), String(size)).toMatchObject({ text: content, version: 6 })
    }
  })
})
