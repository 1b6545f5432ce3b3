import { Nullable, type Static, Type } from '#http/schema.ts'

import { Totp } from '../accounts.model.ts'
import { PasskeyAssertion } from '../assertions/assertions.model.ts'

/** Body fields of every sign-in: the second factor, and whether the device is spared it from then on. */
export const factorFields = {
  totp: Type.Optional(Nullable(Totp)),
  passkey: Type.Optional({ ...Nullable(PasskeyAssertion), examples: [null] }),
  trustDevice: Type.Optional(
    Nullable(
      Type.Boolean({
        description:
          'Spares this device the second factor for 30 days, if the sign-in passes it. Ignored for administrators, and if the settings say so',
        examples: [false],
      }),
    ),
  ),
}

const GivenFactor = Type.Object(factorFields)
/** As the body of a sign-in had it. */
export type GivenFactor = Static<typeof GivenFactor>
