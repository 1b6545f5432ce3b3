/** Everything that decides who can sign in: password, passkeys, second factor, e-mail address, phone number and accounts elsewhere; and the keys of programs. */

import { AccountPage } from './AccountPage.tsx'
import { ApiKeys } from './ApiKeys.tsx'
import { Contacts } from './Contacts.tsx'
import { Passkeys } from './Passkeys.tsx'
import { Password } from './Password.tsx'
import { Providers } from './Providers.tsx'
import { ResetCode } from './ResetCode.tsx'
import { SecondFactor } from './SecondFactor.tsx'

export default function Security() {
  return (
    <AccountPage tab="security">
      <ResetCode />
      <Password />
      <Passkeys />
      <SecondFactor />
      <Contacts />
      <Providers />
      <ApiKeys />
    </AccountPage>
  )
}
