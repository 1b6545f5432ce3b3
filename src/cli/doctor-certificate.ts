import { X509Certificate } from 'node:crypto'

import { type Config, hasTls } from '#config/config.ts'
import type { OrderFault } from '#db/schema/certificates.ts'
import { certificateState, readCertificate } from '#platform/certificate.ts'
import { systemClock } from '#platform/clock.ts'

import type { Finding } from './doctor-gateways.ts'

const finding = (verdict: Finding['verdict'], message: string): Finding => ({ check: 'certificate', verdict, message })

interface Lifetime {
  readonly notBefore: number
  readonly notAfter: number
}

/**
 * The certificate of HTTPS: its files, the one that the server got by itself, or the authority that issues it. `chain`: the certificate that was
 * uploaded (PEM).
 */
export async function checkCertificate(config: Config, chain: string | undefined): Promise<Finding | []> {
  if (!hasTls(config)) return []
  if (config.lan) return (await import('./doctor-authority.ts')).checkAuthority(config)
  if (config.domain.length > 0) return checkAcme(config)
  if (config.browserTls === 'AWAITED')
    return finding(
      'WARN',
      'There is none yet: choose one in the browser, under Administration → Address and certificate.',
    )
  if (config.browserTls === 'FILES') {
    const { validFromDate, validToDate } = new X509Certificate(chain ?? '')
    const lifetime = { notBefore: validFromDate.getTime(), notAfter: validToDate.getTime() }
    return judge(lifetime, 'The uploaded certificate', 'upload its successor', 'upload its successor')
  }
  return judge(readCertificate(config), config.tlsCert, 'renew it', 'see why it was not renewed')
}

function judge(lifetime: Lifetime, subject: string, expired: string, expiring: string): Finding {
  const { status, daysLeft } = certificateState(lifetime, systemClock.now())
  const until = new Date(lifetime.notAfter).toISOString().slice(0, 10)
  if (status === 'EXPIRED') return finding('FAIL', `${subject} expired on ${until}: ${expired}.`)
  return status === 'EXPIRING'
    ? finding('WARN', `${subject} expires on ${until}: ${expiring}.`)
    : finding('OK', `valid until ${until}, for ${daysLeft} days`)
}

async function checkAcme(config: Config): Promise<Finding | []> {
  const [{ withDatabase }, { covers, sentenceOf, targetOf }] = await Promise.all([
    import('#db/maintenance.ts'),
    import('#domains/certificates/index.ts'),
  ])
  return withDatabase(config, async (query) => {
    const rows = await query('SELECT names, not_before, not_after FROM certificates ORDER BY id DESC LIMIT 10')
    const [order] = await query('SELECT fault, next_at FROM acme_orders WHERE target = $1', [targetOf(config)])
    const row = rows.find(({ names }) => covers(JSON.parse(String(names)) as string[], config.domain))
    const fault = typeof order?.['fault'] === 'string' ? (JSON.parse(order['fault']) as OrderFault) : undefined
    const why = fault ? sentenceOf(fault, Number(order!['next_at'])).en : 'start the server, and see its log'
    if (row === undefined) return finding('WARN', `There is none yet for ${config.domain.join(', ')}: ${why}`)
    const lifetime = { notBefore: Number(row['not_before']), notAfter: Number(row['not_after']) }
    return judge(lifetime, 'The certificate', why, why)
  })
}
