/** The web application has a Chinese description for each permission point of the server. */

import { expect, test } from 'bun:test'

import { points } from '../../src/permission-points.ts'

test('each description of a permission point is listed in Chinese, and nothing else is', async () => {
  // By a variable, because the console has a compiler configuration of its own.
  const path = '../../src/web/admin/access/descriptions.ts'
  const { CHINESE: chinese } = (await import(path)) as { CHINESE: Readonly<Record<string, string>> }
  const described = new Set(points.map(({ description }) => description))
  expect(described.difference(new Set(Object.keys(chinese)))).toEqual(new Set())
  expect(new Set(Object.keys(chinese)).difference(described)).toEqual(new Set())
  for (const text of Object.values(chinese)) expect(text).toMatch(/\p{Script=Han}/u)
})
