import { itemsOf, type Licenses, licensesText, readLicenses } from '#platform/licenses.ts'

import { EXIT, Refusal } from './exit-codes.ts'
import { say } from './terminal.ts'
import type { Run } from './verb.ts'

async function read(): Promise<Licenses> {
  const licenses = await readLicenses()
  if (licenses !== undefined) return licenses
  throw new Refusal('This program runs from its sources: run "bun run build" first, which makes the list.', EXIT.usage)
}

export const printLicenses: Run = async ({ options }) => {
  const licenses = await read()
  if (options.has('json')) say(JSON.stringify(itemsOf(licenses), null, 2))
  else say(licensesText(licenses).trimEnd())
  return EXIT.ok
}

export const printSbom: Run = async () => {
  say((await read()).sbom.trimEnd())
  return EXIT.ok
}
