import type { Config } from '#config/config.ts'
import { didYouMean } from '#lib/nearest.ts'
import { hasHiddenCharacters } from '#lib/text.ts'
import { secret, sha256 } from '#platform/ids.ts'

import { checkDatabase } from './data-directory.ts'
import { EXIT, Refusal } from './exit-codes.ts'
import { columns, say } from './terminal.ts'
import type { Run } from './verb.ts'

const ACTIONS = ['create', 'list', 'revoke'] as const
/** Makes keys recognizable, for people and for programs that search for leaked secrets. */
const PREFIX = 'tpk_'
const MAX_NAME = 100

export const run: Run = async (call) => {
  const config = call.config()
  const [name, word] = call.words
  const action = ACTIONS.find((known) => known === name)
  if (!action)
    throw new Refusal(`${name!} is not an action of publisher-key${didYouMean(name!, ACTIONS) || '.'}`, EXIT.usage)
  if (action === 'list' && word !== undefined)
    throw new Refusal('publisher-key list takes no further argument.', EXIT.usage)
  const asJson = call.options.has('json')
  if (action === 'create') await create(config, word, asJson)
  else if (action === 'revoke') await revoke(config, word)
  else await list(config, asJson)
  return EXIT.ok
}

async function create(config: Config, word: string | undefined, asJson: boolean): Promise<void> {
  const name = word?.trim() ?? ''
  if (name === '')
    throw new Refusal('The name is missing: tessera publisher-key create NAME, for example create "CI"', EXIT.usage)
  if (name.length > MAX_NAME || /\p{Cc}/u.test(name) || hasHiddenCharacters(name))
    throw new Refusal(`A name has at most ${MAX_NAME} characters, and no invisible ones.`, EXIT.usage)
  const db = await openKeys(config)
  const key = PREFIX + secret()
  const { id } = await db.insertPublisherKey(config, name, sha256(key))
  if (asJson) say(JSON.stringify({ id, name, key }, null, 2))
  else say(`Publisher key ${id} (${name}) was created. Store it now, it is not shown again.\nKey: ${key}`)
}

async function revoke(config: Config, word: string | undefined): Promise<void> {
  if (word === undefined || !/^[1-9]\d{0,14}$/.test(word))
    throw new Refusal('Name the key by its id, which list shows: tessera publisher-key revoke ID', EXIT.usage)
  const key = await (await openKeys(config)).revokePublisherKey(config, Number(word))
  if (key === undefined) throw new Refusal(`There is no publisher key ${word}.`, EXIT.usage)
  say(`Publisher key ${key.id} (${key.name}) cannot be used any longer.`)
}

async function list(config: Config, asJson: boolean): Promise<void> {
  const keys = await (await openKeys(config)).listPublisherKeys(config)
  if (asJson) say(JSON.stringify(keys, null, 2))
  else if (keys.length === 0) say('There is no publisher key yet.')
  else {
    const time = (at: number | null): string => (at === null ? '-' : new Date(at).toISOString().slice(0, 19) + 'Z')
    const rows = keys.map((key) => [String(key.id), key.name, time(key.createdAt), time(key.revokedAt)])
    say(columns([['ID', 'NAME', 'CREATED', 'REVOKED'], ...rows]))
  }
}

/** The functions for the table of keys. */
async function openKeys(config: Config) {
  await checkDatabase(config)
  return import('#db/publisher-keys.ts')
}
