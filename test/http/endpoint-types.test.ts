/** The compiler refuses endpoint records that contradict themselves and calls that do not fit a record: each must be an error. */

import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dir, '../..')
// Inside the repository, as the aliases of package.json are looked up from the importing file.
const folder = mkdtempSync(join(root, 'test/http/.types-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const WRONG: readonly [what: string, record: string, error: RegExp][] = [
  [
    'a result of another shape',
    `access: signedIn, data: Type.Object({ id: Id }), run: () => ({ key: 1 })`,
    /'{ key: number; }'/,
  ],
  ['a promise of another shape', `access: signedIn, data: Type.String(), run: async () => 1`, /Promise<number>/],
  ['a result without a schema', `access: signedIn, run: async () => ({ leaked: 1 })`, /leaked/],
  ['a Response without media types', `access: signedIn, data: Type.String(), run: () => new Response()`, /'Response'/],
  [
    'the caller of an open operation',
    `access: open, data: Id, run: ({ actor }) => actor.userId`,
    /'actor' is possibly 'undefined'/,
  ],
  [
    'the caller of an operation that needs no token',
    `access: openToUsers, data: Id, run: ({ actor }) => actor.userId`,
    /'actor' is possibly 'undefined'/,
  ],
  [
    'the caller of an operation that accepts a signature instead of a token',
    `access: signedUrl('x', [], 'file:read'), data: Id, run: ({ actor }) => actor.userId`,
    /'actor' is possibly 'undefined'/,
  ],
  ['an unknown permission point', `access: app('qr_code:raed'), run: () => undefined`, /"qr_code:raed"/],
  ['a point of another domain', `access: platform('qr_code:publish'), run: () => undefined`, /"qr_code:publish"/],
  ['a dual point that only APP has', `access: dual('category:read'), run: () => undefined`, /"category:read"/],
  [
    'an unknown action of the operation log',
    `access: signedIn, logs: 'ROLE_RENAME', run: () => undefined`,
    /ROLE_RENAME/,
  ],
  [
    'a logged write of an operation without an action',
    `access: signedIn, run: ({ actor }) => actor.write('x', async () => ({ result: undefined, logged: 'unchanged' }))`,
    /'write' does not exist/,
  ],
  [
    'a logged write without an entry',
    `access: signedIn, logs: 'ROLE_UPDATE', run: ({ actor }) => actor.write('x', async () => ({ result: undefined }))`,
    /readonly logged/,
  ],
  [
    'an unknown parameter',
    `access: signedIn, params: ById, data: Id, run: ({ params }) => params.key`,
    /'key' does not exist/,
  ],
]

/** Of the test client: `alice.call(…)`. */
const WRONG_CALLS: readonly [what: string, call: string, error: RegExp][] = [
  ['an unknown operation', `alice.call('qrCodes.crate')`, /"qrCodes.crate"/],
  ['a missing body', `alice.call('qrCodes.create')`, /Expected 2 arguments/],
  ['a field that the body lacks', `alice.call('qrCodes.create', { body: { nme: 'x', content: 'y' } })`, /'nme'/],
  ['a field that the data lacks', `alice.call('profile.get').then(({ data }) => data.nme)`, /'nme' does not exist/],
]

const RIGHT: readonly string[] = [
  `access: signedIn, params: ById, data: Id, run: ({ actor, params }) => actor.userId + params.id`,
  `access: dual('qr_code:read'), data: Type.Array(Id), run: async ({ actor }) => [actor.userId] as readonly number[]`,
  `access: open, answers: 'image/png', run: () => new Response()`,
  `access: signedIn, logs: 'ROLE_UPDATE', data: Id, run: ({ actor }) => actor.write('x', async () => ({ result: 1, logged: { targetId: 1 } }))`,
  `access: open, answers: 'text/html', data: Id, run: ({ request }) => (request.body ? 1 : new Response())`,
]

test('the compiler refuses records whose run does not fit their schemas, access or permission point, and wrong calls of the test client', async () => {
  const calls = WRONG_CALLS.map(([, call], i) => `export const c${i} = ${call}`)
  const records = [...WRONG.map(([, record]) => record), ...RIGHT].map(
    (record, i) =>
      `export const e${i} = endpoint({ id: 'e${i}', method: 'GET', path: '/', summary: '', tag: 'Operations', ${record} })`,
  )
  const imports = [
    `import { app, dual, endpoint, open, openToUsers, platform, signedIn, signedUrl } from '#http/endpoint.ts'`,
    `import { ById, Id, Type } from '#http/schema.ts'`,
    `import type { Person } from '../../harness/people.ts'`,
    `declare const alice: Person`,
    `export const used = [app, dual, open, openToUsers, platform, signedIn, signedUrl, ById, Id, Type]`,
  ]
  await Bun.write(join(folder, 'records.ts'), [...imports, ...calls, ...records].join('\n'))
  const options = { extends: join(root, 'tsconfig.json'), include: [], files: ['./records.ts'] }
  await Bun.write(join(folder, 'tsconfig.json'), JSON.stringify(options))
  const compiler = Bun.spawn([process.execPath, 'x', '--bun', 'tsc', '--noEmit', '-p', folder], {
    cwd: root,
    stdout: 'pipe',
  })
  const errors = (await new Response(compiler.stdout).text()).split('\n').filter((line) => line.includes('records.ts('))
  const lineOf = (error: string) => Number(/records\.ts\((\d+),/.exec(error)![1])
  for (const [i, [what, , pattern]] of [...WRONG_CALLS, ...WRONG].entries()) {
    const found = errors.filter((error) => lineOf(error) === imports.length + i + 1)
    expect(found, what).toHaveLength(1)
    expect(found[0], what).toMatch(pattern)
  }
  expect(errors).toHaveLength(WRONG_CALLS.length + WRONG.length)
  // The compiler reads the whole server, which took more than two minutes on a machine with a load of 20.
})
