import { Model, type Static, Text, Type } from '#http/schema.ts'

import { Totp } from '../accounts.model.ts'

export const NewTotp = Model('NewTotp', {
  secret: Text('JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', { description: 'Base32, for typing into the authenticator app' }),
  uri: Text('otpauth://totp/Tessera:lin.mei?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Tessera', {
    description: 'Show it as a QR code, for the authenticator app to scan',
  }),
  imageUrl: Text('data:image/svg+xml;base64,PHN2Zz4', {
    description:
      'The QR code of `uri` as a `data:` address of an SVG picture. No other address ever contains the secret',
  }),
  expiresAt: Type.Integer({ description: 'Until when the secret can be confirmed, epoch milliseconds', minimum: 0 }),
})
export type NewTotp = Static<typeof NewTotp>

export const TotpCode = Model('TotpCode', { totp: Totp })

export const RecoveryCodes = Model('RecoveryCodes', {
  recoveryCodes: Type.Array(Text('h7kqm-3xwzp'), {
    description:
      'Each replaces the authenticator app once. The server shows them only here: let the user write them down.',
  }),
})
export type RecoveryCodes = Static<typeof RecoveryCodes>

export const TotpState = Model('TotpState', {
  enabled: Type.Boolean(),
  recoveryCodesLeft: Type.Integer({ minimum: 0, examples: [10] }),
})
export type TotpState = Static<typeof TotpState>
