/** The configuration profile with which iPhones, iPads and Macs install the certificate of the authority. */

import { createHash } from 'node:crypto'

import type { Locale } from '#lib/localized.ts'
import { escapeHtml } from '#lib/text.ts'
import type { AuthorityFacts } from '#platform/local-authority.ts'
import type { Seal } from '#platform/seal.ts'

const ABOUT = {
  en: 'Lets this device trust the certificates of one server in your network.',
  zh: '使此设备信任您网络中一台服务器的证书。',
} as const satisfies Record<Locale, string>

/** The ids of a server are always the same, so that the profile of a new authority replaces the one of the old. */
export function profileOf({ name, der }: AuthorityFacts, seal: Seal, locale: Locale): string {
  const hex = createHash('sha256').update(seal.derive('trust profile v1')).digest('hex')
  const [profile, payload] = [uuidOf(hex.slice(0, 32)), uuidOf(hex.slice(32))]
  const identifier = `org.tessera.authority.${hex.slice(0, 16)}`
  const shown = escapeHtml(name)
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>PayloadType</key><string>Configuration</string>
  <key>PayloadVersion</key><integer>1</integer>
  <key>PayloadIdentifier</key><string>${identifier}</string>
  <key>PayloadUUID</key><string>${profile}</string>
  <key>PayloadDisplayName</key><string>${shown}</string>
  <key>PayloadDescription</key><string>${escapeHtml(ABOUT[locale])}</string>
  <key>PayloadRemovalDisallowed</key><false/>
  <key>PayloadContent</key>
  <array>
    <dict>
      <key>PayloadType</key><string>com.apple.security.root</string>
      <key>PayloadVersion</key><integer>1</integer>
      <key>PayloadIdentifier</key><string>${identifier}.certificate</string>
      <key>PayloadUUID</key><string>${payload}</string>
      <key>PayloadDisplayName</key><string>${shown}</string>
      <key>PayloadCertificateFileName</key><string>ca.crt</string>
      <key>PayloadContent</key><data>${Buffer.from(der).toString('base64')}</data>
    </dict>
  </array>
</dict>
</plist>
`
}

/** Of version 8, whose bits may come from anywhere (RFC 9562). */
const uuidOf = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`.toUpperCase()
