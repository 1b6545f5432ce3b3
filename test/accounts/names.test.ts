import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { nicknameWords } from '#db/schema/accounts.ts'
import { accounts, generateNickname, nicknameWordsChanged } from '#domains/accounts/index.ts'
import { nameOfAgent } from '#domains/accounts/login-records/login-records.rules.ts'
import { bodyOf } from '#domains/accounts/login-records/login-records.service.ts'
import { WORDS } from '#domains/accounts/nicknames/nicknames.service.ts'

import { inProcess, startServer, useServer } from '../harness/index.ts'
import { makeXdb } from '../platform/xdb-file.ts'

describe('nameOfAgent', () => {
  const cases: [string, string][] = [
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
      'Chrome on Windows',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
      'Safari on Mac',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 MicroMessenger/8.0.54',
      'WeChat on iPhone',
    ],
    [
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    ['Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/UQ1A.240205.004)', 'App on Pixel 8'],
    ['okhttp/4.12.0', ''],
    ['Tessera/12 CFNetwork/1568.200.51 Darwin/24.1.0', 'App on Mac'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0', 'Firefox on Linux'],
    ['curl/8.5.0', ''],
    ['', ''],
  ]
  for (const [agent, name] of cases)
    test(`the User-Agent “${agent}” names the device “${name}”`, () => expect(nameOfAgent(agent)).toBe(name))

  test('the time for a hostile User-Agent grows linearly with its length', () => {
    const fastest = (length: number) => {
      const agent = `Mozilla/5.0 (Linux; Android 1; ${'a '.repeat(length)}`
      const times = Array.from({ length: 15 }, () => {
        const started = performance.now()
        nameOfAgent(agent)
        return performance.now() - started
      })
      return Math.min(...times)
    }
    fastest(20_000)
    // 16 times as long: linear time gives 16, quadratic time 256.
    expect(fastest(320_000) / fastest(20_000)).toBeLessThan(100)
  })
})

describe('notices', () => {
  test('a notice names city and IP address if they are known, and gives advice', () => {
    expect(bodyOf(['', ''], undefined).en).toBe('If this was not you, change your password and look at your devices.')
    expect(bodyOf(['深圳市', '203.0.113.9'], { en: 'A line.', zh: '一行。' })).toEqual({
      en: 'A line.\n\nFrom: 深圳市, 203.0.113.9\n\nIf this was not you, change your password and look at your devices.',
      zh: '一行。\n\n位置：深圳市，203.0.113.9\n\n如非本人操作，请立即修改密码并检查登录设备。',
    })
  })
})

describe('nicknames', () => {
  test('the lists of nickname words have no duplicates and no long words', () => {
    for (const lists of Object.values(WORDS))
      for (const text of Object.values(lists)) {
        const words = text.split(' ')
        expect(words).toHaveLength(60)
        expect(new Set(words).size).toBe(words.length)
        for (const word of words) expect(word.length).toBeLessThan(20)
      }
  })

  const { server } = useServer()

  test('nicknames are generated in the language of the caller, and differ', async () => {
    const made = async (language: string) => {
      const headers = { 'accept-language': language, 'x-device-id': `device-${crypto.randomUUID()}` }
      return (await server.request('POST', '/api/auth/device-login', { headers, body: {} })).data.user
        .nickname as string
    }
    const english = await Promise.all(Array.from({ length: 10 }, () => made('en')))
    for (const name of english) expect(name).toMatch(/^[A-Z][a-z]+ [A-Z][a-z]+$/)
    expect(new Set(english).size).toBeGreaterThan(5)
    expect(await made('zh-CN')).toMatch(/^\p{Script=Han}+的\p{Script=Han}+$/u)
  })

  test.if(inProcess)(
    'a nickname is User and six digits if a list is empty, and deleted words are not seeded again',
    async () => {
      const { ctx } = server
      await ctx.db.write('test', async (tx) => {
        await tx.delete(nicknameWords)
        nicknameWordsChanged(tx)
      })
      await accounts.seed(ctx)
      expect(await generateNickname(ctx, 'en')).toMatch(/^User\d{6}$/)
      expect(await generateNickname(ctx, 'zh')).toMatch(/^User\d{6}$/)
    },
  )
})

describe('cities', () => {
  test('login records, devices and notifications name the city of the IP address', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tessera-cities-'))
    const path = join(folder, 'v4.xdb')
    const region = '中国|广东省|深圳市|电信|CN'
    writeFileSync(path, makeXdb(4, 3, [{ first: '113.92.0.0', last: '113.92.255.255', region }]))
    const server = await startServer({ config: { geoipFile: [path] } })
    try {
      const bob = await server.person()
      const body = { account: bob.username, password: bob.password }
      const headers = { 'x-forwarded-for': '113.92.3.4' }
      expect((await server.request('POST', '/api/auth/login', { headers, body })).status).toBe(200)
      expect((await bob.call('loginRecords.ofUser', { params: { userId: bob.id } })).data.items[0]!.city).toBe('深圳市')
      const cities = (await bob.call('devices.list')).data.items.map((d) => d.city)
      expect(cities).toEqual(['深圳市', ''])
      const [note] = (await bob.call('notifications.list')).data.items
      expect(note).toMatchObject({ title: 'Sign-in on a new device', data: { city: '深圳市', ip: '113.92.3.4' } })
      expect(note!.bodyPlain).toContain('深圳市, 113.92.3.4')
    } finally {
      await server.stop()
      rmSync(folder, { recursive: true })
    }
  })
})
