/** The local authority, for doctor. */

import type { Config } from '#config/config.ts'
import { DAY, systemClock } from '#platform/clock.ts'
import { signingKey } from '#platform/keys.ts'
import { readAuthority } from '#platform/local-authority.ts'
import { sealOf } from '#platform/seal.ts'

import { checkDatabase } from './data-directory.ts'
import type { Finding } from './doctor-gateways.ts'
import { hasSigningKey } from './log.ts'

/** So long before its end, devices should begin to trust a new one. */
const SOON_DAYS = 365

export async function checkAuthority(config: Config): Promise<Finding> {
  const found = (verdict: Finding['verdict'], message: string): Finding => ({ check: 'certificate', verdict, message })
  await checkDatabase(config)
  const authority = await (await import('#db/local-authority.ts')).readLocalAuthority(config)
  if (authority === undefined) return found('WARN', 'There is no local authority yet: the next start makes it.')
  const replace = 'replace it with "tessera rotate-local-authority", after which devices must trust the new one'
  if (!hasSigningKey(config) || sealOf(await signingKey(config)).open(authority.sealedKey) === undefined)
    return found(
      'FAIL',
      `The key of the local authority was sealed with another secret: put back the old secret, or ${replace}.`,
    )
  const { name, fingerprint, notAfter } = readAuthority(authority.certificate)
  const until = new Date(notAfter).toISOString().slice(0, 10)
  return notAfter - systemClock.now() < SOON_DAYS * DAY
    ? found('WARN', `${name} ends on ${until}: ${replace}.`)
    : found('OK', `${name}, valid until ${until}, for ${authority.names.join(', ')}; fingerprint ${fingerprint}`)
}
