/** The server values that stay those of this machine when its data is replaced. */

import type { AppContext } from '#context'
import {
  getSetting,
  loadServerValues,
  MAX_ALIASES,
  readServerValues,
  serverValues,
  setServerValue,
  setSetting,
} from '#domains/settings/index.ts'
import { isLoopbackAddress } from '#lib/reach.ts'
import type { Seal } from '#platform/seal.ts'

/**
 * Gives the restored data the address, the certificate, the mail server and the folder of backups of this machine. The secrets are kept in memory
 * only, because the restored data may have another key.
 */
export async function keptValues(ctx: AppContext): Promise<(restored: AppContext) => Promise<void>> {
  const { mail, reach, certificate, aliases = [] } = serverValues(ctx)
  const { publicUrl } = ctx.config
  const moved = (sealed: string): ((to: Seal) => string) => {
    const opened = sealed === '' ? '' : (ctx.seal.open(sealed) ?? '')
    return (to) => (opened === '' ? '' : to.seal(opened))
  }
  const secrets = {
    mail: moved(mail?.password ?? ''),
    key: moved(certificate?.key ?? ''),
    password: moved(certificate?.dns?.kind === 'ACMEDNS' ? certificate.dns.password : ''),
    token: moved(certificate?.dns?.kind === 'CLOUDFLARE' ? certificate.dns.token : ''),
  }
  const directory = await getSetting(ctx, 'backup.directory')
  return async (restored) => {
    const { seal, clock } = restored
    const hasOther = (await getSetting(restored, 'backup.directory')) !== directory
    const earlier = { origin: restored.config.publicUrl, since: clock.now() }
    await restored.db.write('backups.keepValues', async (tx) => {
      if (hasOther) await setSetting(tx, 'backup.directory', directory)
      if (mail !== undefined) await setServerValue(tx, 'mail', { ...mail, password: secrets.mail(seal) })
      const { values } = await readServerValues(tx)
      await setServerValue(tx, 'reach', reach)
      const dns =
        certificate?.dns?.kind === 'ACMEDNS'
          ? { ...certificate.dns, password: secrets.password(seal) }
          : certificate?.dns && { ...certificate.dns, token: secrets.token(seal) }
      const key = secrets.key(seal) || null
      await setServerValue(tx, 'certificate', certificate && { ...certificate, key, dns: dns ?? null })
      // Codes that were printed with the address of the backup go on leading here.
      const known = [...aliases, ...(isLoopbackAddress(earlier.origin) ? [] : [earlier]), ...(values.aliases ?? [])]
      const unique = new Map(known.map((alias) => [alias.origin, alias]))
      unique.delete(publicUrl)
      await setServerValue(tx, 'aliases', [...unique.values()].slice(0, MAX_ALIASES))
    })
    await loadServerValues(restored)
  }
}
