/**
 * `bun run openapi`: writes the API document to test/contract/openapi.json, so that each change of the interface is visible in a
 * diff, and the files of the web application that follow from it (web-client.ts). A test fails if a file is out of date. Paths and
 * components are sorted: the order of our tables is not a change.
 */

import { join } from 'node:path'

import { allEndpoints } from '#app'
import { openApiDocument } from '#http/openapi/document.ts'

import { limitsPath, operationsPath, refreshTypes, writeLimits, writeOperations } from './web-client.ts'

export const snapshotPath = join(import.meta.dir, '../test/contract/openapi.json')

export function snapshot(): string {
  const endpoints = allEndpoints.filter((endpoint) => endpoint.tag !== 'Documentation')
  const document = openApiDocument(endpoints, { version: '0.0.0', publicUrl: '' })
  const { schemas, ...components } = document.components
  const sorted = { ...document, paths: byKey(document.paths), components: { ...components, schemas: byKey(schemas) } }
  return `${JSON.stringify(sorted, null, 2)}\n`
}

const byKey = <T extends object>(object: T): T =>
  Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1))) as T

if (import.meta.main) {
  const text = snapshot()
  await Bun.write(snapshotPath, text)
  writeOperations(allEndpoints)
  writeLimits(JSON.parse(text))
  refreshTypes()
  console.log(`wrote ${snapshotPath}, ${operationsPath} and ${limitsPath}`)
}
