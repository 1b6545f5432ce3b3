import { Model, Nullable, type Static, Type } from '#http/schema.ts'

import { Code, Email, Phone } from '../codes/model.ts'
import { CarrierToken } from '../logins/model.ts'
import { UserView } from '../users/model.ts'

export const PhoneBind = Model('PhoneBind', { phone: Phone, code: Code })
export const EmailBind = Model('EmailBind', { email: Email, code: Code })
export const MobileToken = Model('MobileToken', { token: CarrierToken })

export const Unbound = Model('UnbindResult', {
  hint: Nullable(
    Type.String({
      description: 'Advice to bind something: from now on the account hangs on its device alone',
      examples: ['Bind a phone or an e-mail, or set a password'],
    }),
  ),
  user: UserView,
})
export type Unbound = Static<typeof Unbound>
