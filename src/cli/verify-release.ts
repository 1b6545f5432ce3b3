import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { BadSignature, verifyRelease } from '#platform/minisign.ts'
import { releaseKey } from '#platform/version.ts'

import { EXIT, Refusal } from './exit-codes.ts'
import { say } from './terminal.ts'
import type { Run } from './verb.ts'

const SUMS = 'SHA256SUMS'
const SIGNATURE = `${SUMS}.sig`

function read(file: string): Buffer {
  if (!existsSync(file)) throw new Refusal(`There is no file ${file}.`, EXIT.usage)
  return readFileSync(file)
}

function keyOf(file: string | undefined): string {
  if (file !== undefined) return read(file).toString()
  if (releaseKey !== undefined) return releaseKey
  throw new Refusal(
    'This program was built without a release key: give the public key of the release with --key-file.',
    EXIT.usage,
  )
}

async function sha256Of(file: string): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  for await (const chunk of Bun.file(file).stream()) hash.update(chunk)
  return hash.digest('hex')
}

/** Checks the signature of the checksums, and the checksums of all listed files that are there: nobody downloads all systems. */
export const run: Run = async ({ options, words: [directory] }) => {
  const key = keyOf(options.get('key-file'))
  const sums = read(join(directory!, SUMS))
  const signature = read(join(directory!, SIGNATURE)).toString()
  try {
    say(`${SIGNATURE}: good (${verifyRelease(sums, signature, key)})`)
  } catch (error) {
    if (!(error instanceof BadSignature)) throw error
    throw new Refusal(`${SUMS} cannot be trusted: ${error.message}.`, EXIT.failure)
  }
  const listed = [...sums.toString().matchAll(/^([\da-f]{64}) [ *]([^/\\\n]+)$/gm)]
  const here = listed.filter(([, , name]) => existsSync(join(directory!, name!)))
  if (here.length === 0) throw new Refusal(`${directory!} contains none of the files that ${SUMS} lists.`, EXIT.usage)
  const damaged: string[] = []
  for (const [, sum, name] of here) {
    const isGood = (await sha256Of(join(directory!, name!))) === sum
    say(`${name!}: ${isGood ? 'good' : 'CHANGED'}`)
    if (!isGood) damaged.push(name!)
  }
  if (damaged.length > 0)
    throw new Refusal(`Do not use ${damaged.join(', ')}: the bytes are not those of the release.`, EXIT.failure)
  return EXIT.ok
}
