import { readFileSync } from 'node:fs'

import type { Config } from '#config/config.ts'
import type { AppContext } from '#context'
import { didYouMean } from '#lib/nearest.ts'
import { secret } from '#platform/ids.ts'
import { createLog } from '#platform/log.ts'

import { checkDatabase, openDataDirectory } from './data-directory.ts'
import { EXIT, type ExitCode, Refusal } from './exit-codes.ts'
import { askSecret, columns, say } from './terminal.ts'
import type { Call, Run } from './verb.ts'

const ACTIONS = ['create', 'list', 'reset-password', 'reset-code', 'disable-totp'] as const

export const run: Run = async (call) => {
  const config = call.config()
  const [name, username] = call.words
  const action = ACTIONS.find((known) => known === name)
  if (!action) throw new Refusal(`${name!} is not an action of admin${didYouMean(name!, ACTIONS) || '.'}`, EXIT.usage)
  if (action !== 'list' && username === undefined)
    throw new Refusal(`The user name is missing: tessera admin ${action} USERNAME`, EXIT.usage)
  if (action === 'list' && username !== undefined) throw new Refusal('admin list takes no user name.', EXIT.usage)
  if (action === 'reset-code') return makeCode(config, username!)
  // Before the lock, so that no other process waits for a person at a prompt.
  const password = action === 'list' || action === 'disable-totp' ? undefined : await passwordOf(call)

  const { lock } = await openDataDirectory(config, 'admin')
  try {
    const { createContext } = await import('#app')
    const ctx = await createContext(config, { log: createLog({ level: 'warn', format: config.logFormat }) })
    try {
      if (action === 'list') await list(ctx, call.options.has('json'))
      else if (password === undefined) await disable(ctx, username!)
      else await change(ctx, action === 'create', username!, password)
      if (password !== undefined && call.options.has('generate')) say(`Password: ${password}`)
      return EXIT.ok
    } finally {
      await ctx.close()
    }
  } finally {
    lock.release()
  }
}

async function change(ctx: AppContext, create: boolean, username: string, password: string): Promise<void> {
  const { createAdministrator, resetPassword } = await import('#domains/accounts/index.ts')
  if (create) await createAdministrator(ctx, { username, password })
  else await resetPassword(ctx, username, password)
  say(
    create
      ? `Administrator ${username} was created.`
      : `${username} has a new password, and all their sessions have ended.`,
  )
}

/** Beside the running server, which does not cache codes. */
async function makeCode(config: Config, username: string): Promise<ExitCode> {
  await checkDatabase(config)
  const [{ insertResetCode }, { signingKey }, { sealOf }, { newResetCode, resetCodeHash }] = await Promise.all([
    import('#db/reset-codes.ts'),
    import('#platform/keys.ts'),
    import('#platform/seal.ts'),
    import('#domains/accounts/index.ts'),
  ])
  const code = newResetCode()
  const seal = sealOf(await signingKey(config))
  const made = await insertResetCode(config, username, (userId) => resetCodeHash(seal, userId, code))
  if (made === undefined) throw new Refusal(`There is no active user "${username}".`, EXIT.usage)
  say(`Reset code of ${username}, good until ${new Date(made.expiresAt).toISOString().slice(0, 16)}Z: ${code}`)
  say(
    'It sets a new password on the page /console/start of the server. It was not shown before, and is not shown again.',
  )
  return EXIT.ok
}

async function disable(ctx: AppContext, user: string): Promise<void> {
  const { disableTotp } = await import('#domains/accounts/index.ts')
  await disableTotp(ctx, user)
  say(`Two-factor sign-in of ${user} was switched off, and all their sessions have ended.`)
}

async function list(ctx: AppContext, asJson: boolean): Promise<void> {
  const { listAdministrators } = await import('#domains/accounts/index.ts')
  const found = await listAdministrators(ctx)
  if (asJson) say(JSON.stringify(found, null, 2))
  else if (found.length === 0) say('There is no administrator yet.')
  else {
    const rows = found.map((a) => [String(a.id), a.username ?? '-', a.nickname, a.status, a.roles.join(',')])
    say(columns([['ID', 'USERNAME', 'NICKNAME', 'STATUS', 'ROLES'], ...rows]))
  }
}

async function passwordOf({ options }: Call): Promise<string> {
  const file = options.get('password-file')
  if (options.has('generate')) {
    if (file !== undefined)
      throw new Refusal('--generate and --password-file are both set: set only one of them.', EXIT.usage)
    return secret().slice(0, 20)
  }
  if (file === undefined) {
    const password = await askSecret('New password: ')
    if ((await askSecret('Repeat the password: ')) !== password)
      throw new Refusal('The passwords are different.', EXIT.usage)
    return password
  }
  try {
    const [password] = readFileSync(file === '-' ? 0 : file, 'utf8').split(/\r?\n/)
    if (password) return password
  } catch (error) {
    throw new Refusal(`${file} cannot be read: ${(error as Error).message}`, EXIT.usage)
  }
  throw new Refusal(`${file} is empty.`, EXIT.usage)
}
