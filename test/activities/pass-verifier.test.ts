/** The reference verifier of docs/, with passes of a real server, on Node and in Chromium. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { generateKeyPairSync, sign } from 'node:crypto'
import { resolve } from 'node:path'

import { decodeToken, encodeToken, type TokenPayload } from '#domains/activities/pass-keys/pass-keys.rules.ts'
import { DAY } from '#platform/clock.ts'

import { hasChromium, launchChromium } from '../harness/chromium.ts'
import { ok, useServer } from '../harness/index.ts'
import { createTemplate, guests, issued, withPasses } from './pass-helpers.ts'

const VERIFIER = resolve(import.meta.dir, '../../docs/pass-verifier.js')
const { server, alice } = useServer({ people: ['alice'] })

/** A call of the verifier with the expected result, as JSON. */
interface Case {
  readonly function: 'verifyPass' | 'verifyRevocations'
  readonly input: object
}
const cases: Record<string, Case> = {}
const expected: Record<string, unknown> = {}

beforeAll(async () => {
  const { id } = await withPasses(alice)
  const now = Date.now()
  const validFrom = now - DAY
  const [pass, lost] = await issued(alice, id, { holders: guests(2), validFrom, validTo: now + DAY })
  const [endless] = await issued(alice, id, { holderName: 'endless' })
  ok(await alice.call('passes.revoke', { params: { passId: lost!.id }, body: {} }))
  const { keys } = ok(await server.call('passes.keys', { params: { id } })).data
  const revocations = ok(await alice.call('passes.revocations', { params: { id } })).data
  const content = pass!.qrContent!
  const { signature: _, signed: __, ...payload } = decodeToken(content)!
  const token = content.slice(-154)

  const foreign = generateKeyPairSync('ed25519').privateKey
  const forge = (change: Partial<TokenPayload> = {}) =>
    encodeToken({ ...payload, ...change }, (bytes) => sign(null, bytes, foreign))

  const add = (
    name: string,
    input: object,
    reason: string | null,
    isGenuine = reason !== 'MALFORMED' && reason !== 'FORGED',
  ) => {
    cases[name] = { function: 'verifyPass', input: { keys, revocations, activityId: id, now, content, ...input } }
    expected[name] = expect.objectContaining({
      valid: reason === null,
      reason,
      pass: isGenuine ? expect.anything() : null,
    })
  }
  add('genuine', {}, null)
  expected['genuine'] = { valid: true, reason: null, pass: payload }
  add('bare token', { content: token }, null)
  add('in lower case with a query', { content: `https://example.org/s/pass/${token.toLowerCase()}?lang=zh` }, null)
  add('without list and activity', { revocations: undefined, activityId: undefined }, null)
  add('without beginning', { content: endless!.qrContent! }, null)
  add('revoked', { content: lost!.qrContent! }, 'REVOKED')
  add('revoked, without the list', { content: lost!.qrContent!, revocations: undefined }, null)
  add('expired', { now: now + 2 * DAY }, 'EXPIRED')
  add('too early', { now: validFrom - 2000 }, 'NOT_YET_VALID')
  add('of another activity', { activityId: id + 1 }, 'WRONG_ACTIVITY')
  add('signed by a foreign key', { content: forge() }, 'FORGED')
  add('of an unknown key', { content: forge({ keyId: 99 }) }, 'FORGED')
  add('without keys', { keys: [] }, 'FORGED')
  for (const at of [2, 20, 40, 52, 60, 100, 152]) {
    const altered = token.slice(0, at) + (token[at] === 'Q' ? 'R' : 'Q') + token.slice(at + 1)
    add(`altered at character ${at}`, { content: altered }, 'FORGED')
  }
  add('too short', { content: token.slice(1) }, 'MALFORMED')
  add('of another format', { content: `B${token.slice(1)}` }, 'MALFORMED')
  add('with another last character', { content: token.slice(0, -1) + (token.endsWith('B') ? 'C' : 'B') }, 'MALFORMED')
  add('some text', { content: 'activity:1' }, 'MALFORMED')
  add('empty', { content: '' }, 'MALFORMED')

  const addList = (name: string, input: object, isGenuine: boolean) => {
    cases[name] = { function: 'verifyRevocations', input: { keys, revocations, activityId: id, ...input } }
    expected[name] = isGenuine
  }
  const template = await createTemplate(alice)
  const [admitted] = await issued(alice, id, { holders: guests(1), templateId: template.id })
  const listing = async (body: object) => {
    const list = ok(await alice.call('checkInLists.create', { params: { id }, body: { name: 'Lunch', ...body } })).data
    return ok(await alice.call('passes.revocations', { params: { id }, query: { listId: list.id } })).data
  }
  const restricted = await listing({ templateIds: [template.id], maxUses: 3 })
  const open = await listing({ opensAt: now - DAY, closesAt: now + DAY })
  add('not on the list', { revocations: restricted }, 'NOT_ON_LIST')
  add('on the list', { revocations: restricted, content: admitted!.qrContent! }, null)
  add('on a list that admits all', { revocations: open }, null)
  add('revoked, and not on the list', { revocations: restricted, content: lost!.qrContent! }, 'REVOKED')
  const closed = { ...open, list: { ...open.list!, closesAt: now - 1 } }
  add('on a list that is closed', { revocations: closed }, 'LIST_CLOSED')
  add(
    'on a list that opens later',
    { revocations: { ...open, list: { ...open.list!, opensAt: now + 1 } } },
    'LIST_CLOSED',
  )

  addList('list of revocations', {}, true)
  addList('check-in list', { revocations: restricted }, true)
  addList('check-in list that admits all', { revocations: open }, true)
  addList('check-in list with other times', { revocations: closed }, false)
  addList(
    'check-in list with another pass',
    {
      revocations: { ...restricted, list: { ...restricted.list!, admittedUuids: [pass!.uuid] } },
    },
    false,
  )
  addList('check-in list that was left out', { revocations: { ...restricted, list: undefined } }, false)
  addList('check-in list that was put in', { revocations: { ...revocations, list: open.list } }, false)
  const { activity: _a, changed: _c, changesSignature: _s, ...old } = revocations
  addList('list of an older server', { revocations: old }, true)
  addList('list without its pass', { revocations: { ...revocations, revoked: [] } }, false)
  addList('list of another activity', { activityId: id + 1 }, false)
  addList('list with another time', { revocations: { ...revocations, until: revocations.until + 1 } }, false)
})

/** Runs all cases with the functions of the verifier; a script for Node and browsers. */
const RUN = `async (verifier, cases) => {
  const results = {}
  for (const [name, { function: called, input }] of Object.entries(cases)) results[name] = await verifier[called](input)
  return results
}`

test('the verifier has at most 150 lines and imports nothing', async () => {
  const source = await Bun.file(VERIFIER).text()
  expect(source.split('\n').length).toBeLessThanOrEqual(151)
  expect(source).not.toMatch(/^import|require\(|import\(/m)
})

const node = Bun.which('node')

test('Node is installed where CI is set', () => {
  if (node === null) console.warn('Node is not installed: the verifier is not tested on it')
  if (process.env['CI']) expect(node).not.toBeNull()
})

test.if(node !== null)(
  'on Node the verifier accepts genuine passes only, and gives the reason for all others',
  async () => {
    const script = `import * as verifier from ${JSON.stringify(VERIFIER)}
    let text = ''
    for await (const chunk of process.stdin) text += chunk
    console.log(JSON.stringify(await (${RUN})(verifier, JSON.parse(text))))`
    const child = Bun.spawn([node!, '--no-warnings', '--input-type=module', '-e', script], {
      stdin: new TextEncoder().encode(JSON.stringify(cases)),
      stderr: 'inherit',
    })
    expect(JSON.parse(await child.stdout.text())).toEqual(expected)
    expect(await child.exited).toBe(0)
  },
)

describe.if(hasChromium)('in Chromium', () => {
  test('the verifier accepts genuine passes only, and gives the reason for all others', async () => {
    // WebCrypto needs a secure context, which loopback addresses are.
    const gate = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: (request) =>
        request.url.endsWith('.js')
          ? new Response(Bun.file(VERIFIER))
          : new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } }),
    })
    const browser = await launchChromium()
    try {
      const page = await browser.newPage()
      await page.goto(gate.url.href)
      const results = await page.evaluate(
        `import('/pass-verifier.js').then((verifier) => (${RUN})(verifier, ${JSON.stringify(cases)}))`,
      )
      expect(results).toEqual(expected)
    } finally {
      await browser.close()
      await gate.stop(true)
    }
  })
})
