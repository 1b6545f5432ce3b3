/** `bun run test:changed` finds the tests that a change can fail. */

import { expect, test } from 'bun:test'

import { Glob } from 'bun'

import { testsFor } from '../scripts/test-changed.ts'
import { importGraph, type SourceFile } from './architecture/imports.ts'

const root = `${import.meta.dir}/..`

const graphOf = (files: Record<string, string>) =>
  importGraph(Object.entries(files).map(([path, text]): SourceFile => ({ path, text })))

const ARCHITECTURE = { 'test/architecture.test.ts': '', 'test/english.test.ts': '' }
const ALWAYS = Object.keys(ARCHITECTURE)

test('tests that import a changed file are run, also through others and by an alias', () => {
  const graph = graphOf({
    ...ARCHITECTURE,
    'src/lib/x.ts': '',
    'src/lib/y.ts': `import { x } from './x.ts'`,
    'test/lib/x.test.ts': `import { x } from '#lib/x.ts'`,
    'test/orgs/y.test.ts': `import { y } from '#lib/y.ts'`,
    'test/orgs/z.test.ts': '',
  })
  expect(testsFor(['src/lib/y.ts'], graph)).toEqual([...ALWAYS, 'test/lib/x.test.ts', 'test/orgs/y.test.ts'].toSorted())
  expect(testsFor(['test/orgs/z.test.ts'], graph)).toEqual([...ALWAYS, 'test/orgs/z.test.ts'].toSorted())
})

test('tests of the folder of a changed domain are run, and not all that start a server', () => {
  const graph = graphOf({
    ...ARCHITECTURE,
    'src/app.ts': `import { orgs } from '#domains/orgs/index.ts'`,
    'src/domains/orgs/index.ts': `import { x } from './orgs.rules.ts'`,
    'src/domains/orgs/orgs.rules.ts': '',
    'test/harness/index.ts': `import { createApp } from '#app'`,
    'test/orgs/members.test.ts': `import { startServer } from '../harness/index.ts'`,
    'test/files/upload.test.ts': `import { startServer } from '../harness/index.ts'`,
  })
  expect(testsFor(['src/domains/orgs/orgs.rules.ts'], graph)).toEqual(
    [...ALWAYS, 'test/orgs/members.test.ts'].toSorted(),
  )
})

test('a change of the formula reader runs the tests of formulas', async () => {
  const files: SourceFile[] = []
  for (const path of new Glob('{src,test}/**/*.ts').scanSync({ cwd: root }))
    files.push({ path, text: await Bun.file(`${root}/${path}`).text() })
  const tests = testsFor(['src/lib/formula/lexer.ts'], importGraph(files))
  expect(tests).toContain('test/lib/formula.test.ts')
  expect(tests.length).toBeLessThan(files.filter(({ path }) => path.endsWith('.test.ts')).length / 2)
})
