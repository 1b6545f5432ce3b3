import { Nullable, type Static, Type } from '#http/schema.ts'

import { Code, Email, Phone } from '../codes/model.ts'
import { CarrierToken } from '../logins/model.ts'
import { UserView } from '../users/model.ts'

export const PhoneBind = Type.Object({ phone: Phone, code: Code })
export const EmailBind = Type.Object({ email: Email, code: Code })
export const MobileToken = Type.Object({ token: CarrierToken })

export const Unbound = Type.Object({
  hint: Nullable(
    Type.String({ description: 'Advice to bind something: from now on the account hangs on its device alone' }),
  ),
  user: UserView,
})
export type Unbound = Static<typeof Unbound>
