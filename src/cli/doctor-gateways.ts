/** The doctor's checks of the store of files, mail, SMS, one-click sign-in and city databases. They send no message. */

import { statSync } from 'node:fs'

import type { Config } from '#config/config.ts'
import { parseMailbox, parseOneClick, parseSms, parseSmtp } from '#config/gateways.ts'
import { BlobError, type BlobStore } from '#platform/blobs/port.ts'
import { DAY, systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log.ts'
import { GatewayError } from '#platform/outgoing.ts'

export interface Finding {
  readonly check: string
  readonly verdict: 'OK' | 'WARN' | 'FAIL'
  /** The result and, for WARN and FAIL, what to do. */
  readonly message: string
}

/** Age at which many cities are wrong, because address blocks change owners. */
const OLD_CITIES_MS = 2 * 365 * DAY

const ok = (check: string, message: string): Finding => ({ check, verdict: 'OK', message })
const warn = (check: string, message: string): Finding => ({ check, verdict: 'WARN', message })

async function ask(check: string, hint: string, gateway: () => Promise<string>): Promise<Finding> {
  try {
    return ok(check, `${await gateway()}${hint}`)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return { check, verdict: 'FAIL', message: `${error.message}: check its address, the network and the firewall.` }
  }
}

/** False before the first start on this database. */
async function hasForeignFiles(config: Config, store: BlobStore): Promise<boolean> {
  const { databaseFile, postgresSchema, sqliteSchema } = await import('#db/maintenance.ts')
  const { dataDir, databaseUrl } = config
  if (databaseUrl === '' && !statSync(databaseFile(dataDir), { throwIfNoEntry: false })) return false
  const { applied } = databaseUrl === '' ? sqliteSchema(databaseFile(dataDir)) : await postgresSchema(databaseUrl)
  if (applied.length === 0) return false
  const installation = await (await import('#db/blob-maintenance.ts')).readInstallation(config)
  return (
    installation !== undefined &&
    ((await store.owner()) ?? (installation.isFilesForeign ? '' : installation.id)) !== installation.id
  )
}

export const GATEWAY_CHECKS = {
  async storage(config: Config): Promise<Finding | []> {
    // The first start creates the folder.
    const { filesFolder, openBlobs } = await import('#platform/blobs/index.ts')
    if (config.storageUrl + config.sharedFiles === '' && !statSync(filesFolder(config), { throwIfNoEntry: false }))
      return []
    const store = openBlobs(config)
    try {
      await store.check()
      if (await hasForeignFiles(config, store))
        return warn(
          'storage',
          `${store.place} has files of another database, so no clean-up deletes any of them: check TESSERA_DATA_DIR, ` +
            'TESSERA_DATABASE_URL and TESSERA_STORAGE_URL; if the files are those of this server, run "tessera files adopt".',
        )
      return ok('storage', `files are in ${store.place}`)
    } catch (error) {
      if (!(error instanceof BlobError)) throw error
      return { check: 'storage', verdict: 'FAIL', message: error.message }
    }
  },

  async mail({ smtpUrl, mailFrom }: Config): Promise<Finding> {
    const [server, from] = [parseSmtp(smtpUrl), parseMailbox(mailFrom)]
    if (server === undefined || from === undefined)
      return warn(
        'mail',
        'No mail server: codes by e-mail are written to the log. Set TESSERA_SMTP_URL and TESSERA_MAIL_FROM.',
      )
    const { openMailer } = await import('#platform/mail/index.ts')
    return ask('mail', '', async () => (await openMailer(server, { from, log: quiet() })).check())
  },

  async sms({ smsUrl }: Config): Promise<Finding> {
    const gateway = parseSms(smsUrl)
    if (gateway === undefined || gateway.kind === 'log')
      return warn('sms', 'No SMS gateway: codes by SMS are written to the log. Set TESSERA_SMS_URL.')
    if (gateway.kind === 'webhook' && isInClear(gateway.url))
      return warn('sms', 'Codes are sent to the webhook unencrypted: use https.')
    const { openSms } = await import('#platform/sms/index.ts')
    const hint = '; test the account with "tessera test-sms NUMBER"'
    return ask('sms', hint, async () => (await openSms(gateway, { clock: systemClock, log: quiet() })).check())
  },

  async oneClick({ oneclickUrl }: Config): Promise<Finding | []> {
    const gateway = parseOneClick(oneclickUrl)
    if (gateway === undefined) return []
    if (gateway.kind === 'webhook' && isInClear(gateway.url))
      return warn('one-click', 'Tokens and phone numbers are sent to the webhook unencrypted: use https.')
    const { openOneClick } = await import('#platform/oneclick.ts')
    return ask('one-click', '', () => openOneClick(gateway, systemClock).check())
  },

  async geoip({ geoipFile }: Config): Promise<Finding[]> {
    const { openPlaces } = await import('#platform/geoip/index.ts')
    const cities = openPlaces(geoipFile)
    cities.close()
    return cities.files.map(({ path, widths, madeAt }) => {
      const made = `${widths.map((width) => `IPv${width === 4 ? 4 : 6}`).join(' and ')}, created ${new Date(madeAt).toISOString().slice(0, 10)}`
      return systemClock.now() - madeAt > OLD_CITIES_MS
        ? warn('cities', `${path} is old (${made}): replace it with a newer one.`)
        : ok('cities', `${path}, ${made}`)
    })
  },
}

const quiet = () => createLog({ level: 'error', format: 'text', write: () => {} })

const isInClear = (url: string): boolean => /^http:\/\/(?!localhost[:/]|127\.|\[::1\])/.test(url)
