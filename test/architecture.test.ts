/** All source files keep the layer rules, and the check reports each kind of breach. */

import { describe, expect, test } from 'bun:test'

import { Glob } from 'bun'

import { type Exceptions, MIN_LINES, unneeded } from './architecture/domain-rules.ts'
import { EXCEPTIONS } from './architecture/exceptions.ts'
import { importsOf, type SourceFile } from './architecture/imports.ts'
import { breaches, MAX_LINES } from './architecture/rules.ts'
import { TOPICS, wrongTopics } from './architecture/topics.ts'

const root = `${import.meta.dir}/..`

test('no source file breaks an architecture rule', async () => {
  const files: SourceFile[] = []
  for (const path of new Glob('src/**/*.{ts,tsx}').scanSync({ cwd: root }))
    files.push({ path, text: await Bun.file(`${root}/${path}`).text() })
  expect(files.length).toBeGreaterThan(50)
  // Proves that imports are found at all: a check that sees none reports no breach.
  expect(files.flatMap(importsOf).length).toBeGreaterThan(files.length)
  expect(breaches(files)).toEqual([])
  expect(unneeded(files, EXCEPTIONS)).toEqual([])
  expect(wrongTopics(files, TOPICS)).toEqual([])
})

test('no example is longer than a source file may be, and the client of offline sync has no dependency', async () => {
  const paths = [...new Glob('examples/**/*.ts').scanSync({ cwd: root })]
  expect(paths).toContain('examples/sync-client/client.ts')
  for (const path of paths) {
    const text = await Bun.file(`${root}/${path}`).text()
    expect(text.split('\n').length, path).toBeLessThanOrEqual(MAX_LINES + 1)
    if (!path.startsWith('examples/sync-client/')) continue
    for (const { target } of importsOf({ path, text })) expect(target, path).toStartWith('examples/sync-client/')
  }
})

const file = (path: string, text: string): SourceFile => ({ path, text })

/** No exceptions, so that the cases do not depend on the files that exist today. */
const none: Exceptions = { levels: {}, small: [] }

const cases: [name: string, files: SourceFile[], breach: RegExp][] = [
  [
    'an import of Elysia outside http/',
    [file('src/domains/a/a.service.ts', `import { Elysia } from 'elysia'`)],
    /imports Elysia/,
  ],
  [
    'an import of an Elysia plugin outside http/',
    [file('src/app.ts', `import { jwt } from '@elysiajs/jwt'`)],
    /imports Elysia/,
  ],
  [
    'a type import of Elysia outside http/',
    [file('src/context.ts', `import type { Elysia } from 'elysia'`)],
    /imports Elysia/,
  ],
  [
    'an import of drizzle in a service',
    [file('src/domains/a/a.service.ts', `import { eq } from 'drizzle-orm'`)],
    /imports drizzle/,
  ],
  [
    'an import of drizzle in http/',
    [file('src/http/mount.ts', `import { t } from 'drizzle-orm/sqlite-core'`)],
    /imports drizzle/,
  ],
  [
    'an import of drizzle that spans several lines',
    [file('src/domains/a/a.rules.ts', `import {\n  and,\n  eq,\n} from 'drizzle-orm'`)],
    /imports drizzle/,
  ],
  [
    'a dynamic import of drizzle',
    [file('src/domains/a/a.jobs.ts', `const d = await import('drizzle-orm')`)],
    /imports drizzle/,
  ],
  ['a re-export of drizzle', [file('src/domains/a/index.ts', `export * from 'drizzle-orm'`)], /imports drizzle/],
  ['process.env in a domain', [file('src/domains/a/a.service.ts', `const x = process.env['X']`)], /environment/],
  ['Bun.env outside config/', [file('src/db/store.ts', `const x = Bun.env.X`)], /environment/],
  [
    'env imported from node:process',
    [file('src/db/store.ts', `import { env } from 'node:process'\nenv.X`)],
    /environment/,
  ],
  ['Date.now in a service', [file('src/domains/a/a.service.ts', `const t = Date.now()`)], /asks for the time/],
  ['new Date() in platform/', [file('src/platform/log.ts', `const t = new Date()`)], /asks for the time/],
  ['new Date without parentheses', [file('src/platform/log.ts', `const t = new Date;`)], /asks for the time/],
  ['Math.random in lib/', [file('src/lib/x.ts', `const r = Math.random()`)], /asks for randomness/],
  [
    'the table of identities in another domain',
    [
      file(
        'src/domains/a/a.store.ts',
        `import { identities, users } from '#db/schema/accounts.ts'\nexport const x = [identities, users]`,
      ),
    ],
    /reads identities/,
  ],
  [
    'the reader for password sign-ins in a look-up by contact',
    [
      file(
        'src/domains/accounts/links/links.service.ts',
        `import { userForPasswordSignIn } from '../users/users.store.ts'\nuserForPasswordSignIn()`,
      ),
    ],
    /only claimed: that is for the check of a password/,
  ],
  [
    'the reader for codes in a look-up by contact',
    [
      file(
        'src/domains/accounts/links/links.service.ts',
        `import { holderForCodeSignIn } from '../users/users.store.ts'\nholderForCodeSignIn()`,
      ),
    ],
    /only claimed: that is for codes/,
  ],
  [
    'a function that deletes synchronized rows without a tombstone',
    [
      file(
        'src/domains/a/a.store.ts',
        `export async function a(tx) {\n  await tx\n    .delete(assets)\n}\n\nexport async function b(tx) {\n  await recordDeleted(tx)\n}`,
      ),
    ],
    /deletes assets without recordDeleted/,
  ],
  [
    'randomUUID in a domain',
    [file('src/domains/a/a.store.ts', `const r = crypto.randomUUID()`)],
    /asks for randomness/,
  ],
  [
    'randomBytes of node:crypto outside ids.ts',
    [file('src/platform/keys.ts', `import { randomBytes } from 'node:crypto'\nrandomBytes(3)`)],
    /asks for randomness/,
  ],
  [
    "an import past another domain's index.ts",
    [file('src/domains/a/a.service.ts', `import { x } from '../b/b.service.ts'`)],
    /past the domain/,
  ],
  [
    "an import past a domain's index.ts in app.ts",
    [file('src/app.ts', `import { x } from './domains/b/b.store.ts'`)],
    /past the domain/,
  ],
  [
    "a type import past another domain's index.ts",
    [file('src/domains/a/x/x.model.ts', `import type { X } from '../../b/b.model.ts'`)],
    /past the domain/,
  ],
  [
    'two domains that import each other',
    [
      file('src/domains/a/a.service.ts', `import { b } from '../b/index.ts'`),
      file('src/domains/b/b.service.ts', `import { a } from '../a/index.ts'`),
    ],
    /cycle: a → b → a/,
  ],
  [
    'a cycle of three domains, one of them by a type import',
    [
      file('src/domains/a/a.service.ts', `import { b } from '../b/index.ts'`),
      file('src/domains/b/b.service.ts', `import { c } from '../c/index.ts'`),
      file('src/domains/c/c.service.ts', `import type { A } from '../a/index.ts'`),
    ],
    /cycle: a → b → c → a/,
  ],
  ['lib/ importing platform/', [file('src/lib/x.ts', `import { uuid } from '../platform/ids.ts'`)], /above it/],
  [
    'lib/ importing platform/ by its alias',
    [file('src/lib/x.ts', `import { uuid } from '#platform/ids.ts'`)],
    /above it/,
  ],
  [
    'platform/ importing the context by its alias',
    [file('src/platform/x.ts', `import { y } from '#context'`)],
    /above it/,
  ],
  [
    "an import past another domain's index.ts by its alias",
    [file('src/domains/a/a.service.ts', `import { x } from '#domains/b/b.service.ts'`)],
    /past the domain/,
  ],
  [
    'an import path that begins with ../../../',
    [file('src/domains/a/b/b.service.ts', `import { x } from '../../../lib/x.ts'`)],
    /use an alias/,
  ],
  ['config/ importing platform/', [file('src/config/x.ts', `import { uuid } from '../platform/ids.ts'`)], /above it/],
  [
    'platform/ importing a domain',
    [file('src/platform/x.ts', `import { a } from '../domains/a/index.ts'`)],
    /above it/,
  ],
  [
    'platform/ importing a type of http/',
    [file('src/platform/x.ts', `import type { A } from '../http/endpoint.ts'`)],
    /above it/,
  ],
  ['db/ importing http/', [file('src/db/store.ts', `import { badRequest } from '../http/errors.ts'`)], /above it/],
  ['http/ importing a domain', [file('src/http/mount.ts', `import { a } from '../domains/a/index.ts'`)], /above it/],
  [
    'http/ importing a table of db/',
    [file('src/http/mount.ts', `import { users } from '../db/schema/users.ts'`)],
    /types and errors of db\/ only/,
  ],
  ['a domain importing app.ts', [file('src/domains/a/a.jobs.ts', `import { serve } from '../../app.ts'`)], /above it/],
  ['app.ts importing cli/', [file('src/app.ts', `import { verbs } from './cli/verbs.ts'`)], /above it/],
  [
    'a new folder of src/ that is in no layer',
    [file('src/helpers/x.ts', `import { y } from '../lib/y.ts'`)],
    /no known layer/,
  ],
  [
    'the server importing the web application',
    [file('src/http/web.ts', `import { OPERATIONS } from '../web/api/operations.gen.ts'`)],
    /built apart/,
  ],
  [
    'the web application importing code of the server',
    [file('src/web/a.tsx', `import { x } from '../lib/x.ts'`)],
    /belongs to the server/,
  ],
  [
    'the web application importing code of the server by its alias',
    [file('src/web/a/b.tsx', `const x = await import('#lib/x.ts')`)],
    /belongs to the server/,
  ],
  [
    'the web application importing the part of the QR encoder that loads zlib',
    [file('src/web/a.tsx', `import { toPng } from '#lib/qr/png.ts'`)],
    /belongs to the server/,
  ],
  [
    'a part of the web application importing a page',
    [file('src/web/ui/Page.tsx', `import { words } from '../areas/codes/words.ts'`)],
    /words\.ts, which is above it/,
  ],
  [
    'texts of the web application that call the server',
    [file('src/web/i18n/a.ts', `import { callWith } from '../api/client.ts'`)],
    /client\.ts, which is above it/,
  ],
  ['a long file of the web application', [file('src/web/a.tsx', '// a line\n'.repeat(MAX_LINES + 1))], /501 lines/],
  [
    'a store importing its service',
    [file('src/domains/a/a.store.ts', `import { x } from './a.service.ts'`)],
    /above it/,
  ],
  [
    'a service importing its endpoints',
    [file('src/domains/a/b/b.service.ts', `import { x } from './b.endpoints.ts'`)],
    /above it/,
  ],
  [
    "a file importing its own domain's index.ts",
    [file('src/domains/a/b/b.service.ts', `import { x } from '../index.ts'`)],
    /own domain/,
  ],
  [
    'rules.ts importing a query',
    [file('src/domains/a/a.rules.ts', `import { x } from '../../db/prepared.ts'`)],
    /rules are pure/,
  ],
  ['a file with more lines than allowed', [file('src/lib/long.ts', '// a line\n'.repeat(MAX_LINES + 1))], /501 lines/],
  [
    'a file of a domain that has no standard name',
    [file('src/domains/a/helpers.ts', 'export const x = 1')],
    /helpers\.ts has a name that CONTRIBUTING\.md does not list/,
  ],
  [
    'a file of a domain whose name does not say its topic',
    [file('src/domains/a/b/service.ts', 'export const x = 1')],
    /service\.ts has a name/,
  ],
  [
    'a file with no standard name in a sub-folder of a domain',
    [file('src/domains/a/b/utils.ts', 'export const x = 1')],
    /utils\.ts has a name/,
  ],
  [
    'a service importing a listener',
    [file('src/domains/a/a.service.ts', `import { x } from './b/b.listeners.ts'`)],
    /above it/,
  ],
  ['a model importing a view', [file('src/domains/a/a.model.ts', `import type { X } from './a.view.ts'`)], /above it/],
  [
    'a function of a domain that another domain has to call at start',
    [file('src/domains/a/a.service.ts', `export const registerListener = () => {}`)],
    /exports registerListener: use an event or a contribution/,
  ],
  [
    'an asynchronous register function in a sub-folder of a domain',
    [file('src/domains/a/b/b.service.ts', `export async function registerHook() {}`)],
    /exports registerHook/,
  ],
  [
    'files that import each other in a cycle',
    [
      file('src/lib/a.ts', `import { b } from './b.ts'`),
      file('src/lib/b.ts', `export { c } from '#lib/c.ts'`),
      file('src/lib/c.ts', `const { a } = await import('./a.ts')`),
    ],
    /files import each other in a cycle: src\/lib\/a\.ts → src\/lib\/b\.ts → src\/lib\/c\.ts → src\/lib\/a\.ts/,
  ],
  [
    'files that import only types from each other in a cycle',
    [file('src/cli/a.ts', `import type { B } from './b.ts'`), file('src/cli/b.ts', `import { type A } from './a.ts'`)],
    /files import each other in a cycle: src\/cli\/a\.ts → src\/cli\/b\.ts → src\/cli\/a\.ts/,
  ],
  [
    'a small file that only one file of its domain imports',
    [
      file('src/domains/a/a.errors.ts', '// a line\n'.repeat(MIN_LINES - 1)),
      file('src/domains/a/a.service.ts', `import { x } from './a.errors.ts'`),
    ],
    /errors\.ts has 29 lines and only src\/domains\/a\/a\.service\.ts imports it/,
  ],
  [
    'a small file that only one file of its domain imports, as a type',
    [
      file('src/domains/a/b/b.model.ts', 'export interface X {}\n'),
      file('src/domains/a/b/b.service.ts', `import type { X } from './b.model.ts'`),
    ],
    /merge the two/,
  ],
]

for (const [name, files, breach] of cases)
  test(`the architecture check reports ${name}`, () => {
    const found = breaches(files, none)
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(breach)
  })

test('the architecture check allows everything that the rules permit', () => {
  const allowed = [
    file('src/http/mount.ts', `import { Elysia } from 'elysia'\nimport type { Domain } from '../db/schema/access.ts'`),
    file(
      'src/db/store.ts',
      `import { sql } from 'drizzle-orm'\nimport { migrations } from '../../migrations/index.ts'`,
    ),
    file('src/domains/a/a.store.ts', `import { eq } from 'drizzle-orm'`),
    file('src/domains/a/b/b.store.ts', `import { eq } from 'drizzle-orm'`),
    file('src/domains/a/a.service.ts', `import { b } from '../b/index.ts'\nimport { find } from './a.store.ts'`),
    file('src/domains/b/index.ts', `export { x } from './a.service.ts'\nexport { endpoints } from './a.endpoints.ts'`),
    file('src/config/read.ts', `const x = process.env['X']`),
    file('src/platform/clock.ts', `export const now = () => Date.now()`),
    file('src/platform/ids.ts', `export const uuid = () => crypto.randomUUID()`),
    file(
      'src/domains/a/a.rules.ts',
      `// unlike Date.now() or process.env\nexport const day = (t: number) => new Date(t).getUTCDay()`,
    ),
    file('src/http/server.ts', `const t = performance.now()`),
    file('src/lib/x.ts', `import { gzipSync } from 'node:zlib'\nimport { y } from './y.ts'`),
    file('src/lib/full.ts', '// a line\n'.repeat(MAX_LINES)),
    // Small files: not in a domain, a store, imported by the index only, imported twice, long enough.
    file('src/lib/z.ts', `import { y } from './y.ts'`),
    file('src/lib/y.ts', 'export const y = 1'),
    file('src/domains/c/c.store.ts', 'export const x = 1'),
    file('src/domains/c/c.jobs.ts', 'export const x = 1'),
    file('src/domains/c/c.errors.ts', 'export const x = 1'),
    file('src/domains/c/c.model.ts', '// a line\n'.repeat(MIN_LINES)),
    file('src/domains/c/c.view.ts', `import { x } from './c.errors.ts'\n`.padEnd(90, '\n')),
    file('src/domains/c/c.service.ts', `import { x } from './c.store.ts'\nimport { y } from './c.errors.ts'`),
    file('src/domains/c/c.endpoints.ts', `import { x } from './c.model.ts'`),
    file('src/domains/c/index.ts', `export { x } from './c.jobs.ts'\nexport { y } from './c.service.ts'`),
    // Not a registry: users register.
    file('src/domains/d/d.service.ts', `export async function register() {}\nfunction registerFoo() {}`),
    file(
      'src/domains/e/e.store.ts',
      `export async function a(tx) {\n  const rows = await tx.delete(assets)\n  await recordDeleted(tx, rows)\n}\ntx.delete(users)`,
    ),
    // Runs in browsers. Its files have any name; only generated ones are long.
    file(
      'src/web/codes/list.tsx',
      `import type { QrCode } from '../../domains/c/index.ts'\nimport { call } from '../api/client.ts'\nconst x = <b>{Date.now()}</b>`,
    ),
    file('src/web/api/client.ts', `import { QueryClient } from '@tanstack/react-query'`),
    file('src/web/i18n/enums.ts', `import type { Status } from '../api/types.ts'`),
    file('src/web/areas/codes/a.tsx', `import { Page } from '../../ui/Page.tsx'\nimport { b } from '../assets/b.ts'`),
    // The encoder of QR codes is pure.
    file('src/web/ui/QrPicture.tsx', `import { encodeQr } from '#lib/qr/index.ts'`),
    file('src/web/api/types.gen.ts', '// a line\n'.repeat(MAX_LINES + 1)),
    // Beside the domains, not in one of them.
    file('src/domains/events.ts', `import type { X } from './c/index.ts'`),
  ]
  expect(breaches(allowed, none)).toEqual([])
})

test('exceptions allow a file of another name, give it a level, and allow a small file', () => {
  const files = [
    file('src/domains/a/worker.ts', 'export const x = 1'),
    file('src/domains/a/a.service.ts', `import { x } from './worker.ts'`),
  ]
  expect(breaches(files, none)).toHaveLength(2)
  expect(unneeded(files, { levels: { 'a/worker.ts': 2 }, small: ['a/worker.ts'] })).toEqual([])
  expect(unneeded(files, { levels: { 'a/gone.ts': 2 }, small: ['a/service.ts'] })).toEqual([
    'a/gone.ts',
    'a/service.ts',
  ])
  expect(breaches(files, { levels: { 'a/worker.ts': 2 }, small: ['a/worker.ts'] })).toEqual([])
  expect(breaches(files, { levels: { 'a/worker.ts': 3 }, small: ['a/worker.ts'] })).toEqual([
    'src/domains/a/a.service.ts imports src/domains/a/worker.ts, which is above it',
  ])
})

describe('topics of a domain', () => {
  const order = { a: ['a', 'low', 'high'] }
  const low = (text: string) => file('src/domains/a/low.store.ts', text)

  test('a topic may import itself, the topics below it, and files of other domains', () => {
    const files = [
      low(`import { x } from './a.rules.ts'\nimport { y } from './low.rules.ts'\nimport { b } from '../b/index.ts'`),
      file('src/domains/a/high/high.service.ts', `import { x } from '../low.store.ts'`),
      file('src/domains/a/a.jobs.ts', `import { x } from './high/high.service.ts'`),
      file('src/domains/a/index.ts', `import { x } from './high/high.service.ts'`),
      file('src/domains/b/b.service.ts', `import { a } from '../a/index.ts'`),
    ]
    expect(wrongTopics(files, order)).toEqual([])
  })

  test('an import of a topic above is reported, also that of a type and by an alias', () => {
    const breach = 'a/low.store.ts → a/high/high.model.ts'
    for (const path of ['./high/high.model.ts', '#domains/a/high/high.model.ts']) {
      const files = [low(`import type { X } from '${path}'`)]
      expect(wrongTopics(files, order)).toEqual([`${breach}: high is above low (test/architecture/topics.ts)`])
    }
    expect(wrongTopics([file('src/domains/a/a.rules.ts', `import { x } from './low.store.ts'`)], order)).toHaveLength(1)
  })

  test('a topic that is not in the list is reported', () => {
    expect(wrongTopics([file('src/domains/a/new/new.rules.ts', '')], order)).toEqual([
      'src/domains/a/new/new.rules.ts is of the topic new, which TOPICS does not list',
    ])
  })
})
