/** Every operation of administrators has a place in the web console. */

import { expect, test } from 'bun:test'
import { resolve } from 'node:path'

import { OPERATIONS } from '../../src/console/api/operations.gen.ts'

/** Operations that the console does not call, with the reason. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'actuator.metrics': 'Prometheus reads it.',
  'loginRecords.all': 'An alias of admin.loginRecords.list.',
  'notifications.send': 'The same as admin.notifications.send, under the path for apps.',
  'notifications.sendProgress': 'The list of notifications shows the progress of every send.',
}

const folder = resolve(import.meta.dir, '../../src/console')

async function sourceOfConsole(): Promise<string> {
  const files = [...new Bun.Glob('**/*.{ts,tsx}').scanSync(folder)].filter((file) => !file.endsWith('.gen.ts'))
  const texts = await Promise.all(files.map((file) => Bun.file(resolve(folder, file)).text()))
  return texts.join('\n')
}

test('every operation of administrators is called somewhere in the web console', async () => {
  const source = await sourceOfConsole()
  const called = new Set([...source.matchAll(/(['"`])([a-zA-Z]+(?:\.[a-zA-Z]+)+)\1/g)].map((match) => match[2]))
  const ids = Object.entries(OPERATIONS).flatMap(([id, [, , access]]) =>
    ['platform', 'admin', 'publisher'].includes(access) ? [id] : [],
  )
  expect(ids.length).toBeGreaterThan(100)
  expect(ids.filter((id) => !called.has(id) && !(id in ELSEWHERE))).toEqual([])
  // An exception is removed when its operation is called or no longer exists.
  expect(Object.keys(ELSEWHERE).filter((id) => called.has(id) || !ids.includes(id))).toEqual([])
})
