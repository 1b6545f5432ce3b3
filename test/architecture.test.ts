/** The sources keep to the layers, and the check itself sees each kind of breach. */

import { describe, expect, test } from 'bun:test'

import { Glob } from 'bun'

import { breaches, importsOf, MAX_LINES, type SourceFile } from './architecture/rules.ts'

const root = `${import.meta.dir}/..`

test('no source file breaks a layer rule', async () => {
  const files: SourceFile[] = []
  for (const path of new Glob('src/**/*.ts').scanSync({ cwd: root }))
    files.push({ path, text: await Bun.file(`${root}/${path}`).text() })
  expect(files.length).toBeGreaterThan(50)
  // Something is really read from them: a check that sees no imports finds no breach.
  expect(files.flatMap(importsOf).length).toBeGreaterThan(files.length)
  expect(breaches(files)).toEqual([])
})

const file = (path: string, text: string): SourceFile => ({ path, text })

describe('a breach is found:', () => {
  const cases: [name: string, files: SourceFile[], breach: RegExp][] = [
    ['Elysia outside http', [file('src/domains/a/service.ts', `import { Elysia } from 'elysia'`)], /imports Elysia/],
    ['an Elysia plugin outside http', [file('src/app.ts', `import { jwt } from '@elysiajs/jwt'`)], /imports Elysia/],
    ['Elysia as a type only', [file('src/context.ts', `import type { Elysia } from 'elysia'`)], /imports Elysia/],
    ['drizzle in a service', [file('src/domains/a/service.ts', `import { eq } from 'drizzle-orm'`)], /imports drizzle/],
    ['drizzle in http', [file('src/http/mount.ts', `import { t } from 'drizzle-orm/sqlite-core'`)], /imports drizzle/],
    [
      'drizzle in an import over several lines',
      [file('src/domains/a/rules.ts', `import {\n  and,\n  eq,\n} from 'drizzle-orm'`)],
      /imports drizzle/,
    ],
    [
      'drizzle loaded late',
      [file('src/domains/a/jobs.ts', `const d = await import('drizzle-orm')`)],
      /imports drizzle/,
    ],
    ['drizzle exported on', [file('src/domains/a/index.ts', `export * from 'drizzle-orm'`)], /imports drizzle/],
    [
      'the environment read in a domain',
      [file('src/domains/a/service.ts', `const x = process.env['X']`)],
      /environment/,
    ],
    ['the environment by its other name', [file('src/db/store.ts', `const x = Bun.env.X`)], /environment/],
    ['the environment imported', [file('src/db/store.ts', `import { env } from 'node:process'\nenv.X`)], /environment/],
    ['Date.now in a service', [file('src/domains/a/service.ts', `const t = Date.now()`)], /asks for the time/],
    ['new Date() in platform', [file('src/platform/log.ts', `const t = new Date()`)], /asks for the time/],
    ['new Date without parentheses', [file('src/platform/log.ts', `const t = new Date;`)], /asks for the time/],
    ['Math.random in lib', [file('src/lib/x.ts', `const r = Math.random()`)], /asks for randomness/],
    [
      'randomUUID in a domain',
      [file('src/domains/a/store.ts', `const r = crypto.randomUUID()`)],
      /asks for randomness/,
    ],
    [
      'randomBytes from node:crypto',
      [file('src/platform/keys.ts', `import { randomBytes } from 'node:crypto'\nrandomBytes(3)`)],
      /asks for randomness/,
    ],
    [
      "another domain's inside",
      [file('src/domains/a/service.ts', `import { x } from '../b/service.ts'`)],
      /past the domain/,
    ],
    ["a domain's inside from app", [file('src/app.ts', `import { x } from './domains/b/store.ts'`)], /past the domain/],
    [
      "another domain's inside as a type",
      [file('src/domains/a/x/model.ts', `import type { X } from '../../b/model.ts'`)],
      /past the domain/,
    ],
    [
      'two domains in a circle',
      [
        file('src/domains/a/service.ts', `import { b } from '../b/index.ts'`),
        file('src/domains/b/service.ts', `import { a } from '../a/index.ts'`),
      ],
      /circle: a → b → a/,
    ],
    [
      'three domains in a circle, one by a type',
      [
        file('src/domains/a/service.ts', `import { b } from '../b/index.ts'`),
        file('src/domains/b/service.ts', `import { c } from '../c/index.ts'`),
        file('src/domains/c/service.ts', `import type { A } from '../a/index.ts'`),
      ],
      /circle: a → b → c → a/,
    ],
    ['lib importing platform', [file('src/lib/x.ts', `import { uuid } from '../platform/ids.ts'`)], /above it/],
    [
      'lib importing platform by its alias',
      [file('src/lib/x.ts', `import { uuid } from '#platform/ids.ts'`)],
      /above it/,
    ],
    [
      'platform importing the context by its alias',
      [file('src/platform/x.ts', `import { y } from '#context'`)],
      /above it/,
    ],
    [
      "another domain's inside by its alias",
      [file('src/domains/a/service.ts', `import { x } from '#domains/b/service.ts'`)],
      /past the domain/,
    ],
    [
      'an import that climbs three folders',
      [file('src/domains/a/b/service.ts', `import { x } from '../../../lib/x.ts'`)],
      /use an alias/,
    ],
    ['config importing platform', [file('src/config/x.ts', `import { uuid } from '../platform/ids.ts'`)], /above it/],
    [
      'platform importing a domain',
      [file('src/platform/x.ts', `import { a } from '../domains/a/index.ts'`)],
      /above it/,
    ],
    [
      'platform importing http as a type',
      [file('src/platform/x.ts', `import type { A } from '../http/endpoint.ts'`)],
      /above it/,
    ],
    ['db importing http', [file('src/db/store.ts', `import { badRequest } from '../http/errors.ts'`)], /above it/],
    ['http importing a domain', [file('src/http/mount.ts', `import { a } from '../domains/a/index.ts'`)], /above it/],
    [
      'http querying',
      [file('src/http/mount.ts', `import { users } from '../db/schema/users.ts'`)],
      /types and errors of db\/ only/,
    ],
    ['a domain importing app', [file('src/domains/a/jobs.ts', `import { serve } from '../../app.ts'`)], /above it/],
    ['app importing the command line', [file('src/app.ts', `import { verbs } from './cli/verbs.ts'`)], /above it/],
    ['a new folder that has no layer', [file('src/helpers/x.ts', `import { y } from '../lib/y.ts'`)], /no known layer/],
    ['a store calling its service', [file('src/domains/a/store.ts', `import { x } from './service.ts'`)], /above it/],
    [
      'a service calling its endpoints',
      [file('src/domains/a/b/service.ts', `import { x } from './endpoints.ts'`)],
      /above it/,
    ],
    [
      "a domain's file importing its own index",
      [file('src/domains/a/b/service.ts', `import { x } from '../index.ts'`)],
      /own domain/,
    ],
    [
      'rules that look things up',
      [file('src/domains/a/rules.ts', `import { x } from '../../db/prepared.ts'`)],
      /rules are pure/,
    ],
    ['a file that is too long', [file('src/lib/long.ts', '// a line\n'.repeat(MAX_LINES + 1))], /501 lines/],
  ]
  for (const [name, files, breach] of cases)
    test(name, () => {
      const found = breaches(files)
      expect(found).toHaveLength(1)
      expect(found[0]).toMatch(breach)
    })
})

test('what the rules allow is no breach', () => {
  const allowed = [
    file('src/http/mount.ts', `import { Elysia } from 'elysia'\nimport type { Domain } from '../db/schema/access.ts'`),
    file(
      'src/db/store.ts',
      `import { sql } from 'drizzle-orm'\nimport { migrations } from '../../migrations/index.ts'`,
    ),
    file('src/domains/a/store.ts', `import { eq } from 'drizzle-orm'`),
    file('src/domains/a/b/store.ts', `import { eq } from 'drizzle-orm'`),
    file('src/domains/a/service.ts', `import { b } from '../b/index.ts'\nimport { find } from './store.ts'`),
    file('src/domains/b/index.ts', `export { x } from './service.ts'\nexport { endpoints } from './endpoints.ts'`),
    file('src/config/read.ts', `const x = process.env['X']`),
    file('src/platform/clock.ts', `export const now = () => Date.now()`),
    file('src/platform/ids.ts', `export const uuid = () => crypto.randomUUID()`),
    file(
      'src/domains/a/rules.ts',
      `// unlike Date.now() or process.env\nexport const day = (t: number) => new Date(t).getUTCDay()`,
    ),
    file('src/http/server.ts', `const t = performance.now()`),
    file('src/lib/x.ts', `import { gzipSync } from 'node:zlib'\nimport { y } from './y.ts'`),
    file('src/lib/full.ts', '// a line\n'.repeat(MAX_LINES)),
  ]
  expect(breaches(allowed)).toEqual([])
})
