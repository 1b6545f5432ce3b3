/** Everything that decides who can sign in: password, second factor, e-mail address and phone number. */

import { AccountPage } from './AccountPage.tsx'
import { Contacts } from './Contacts.tsx'
import { Password } from './Password.tsx'
import { SecondFactor } from './SecondFactor.tsx'

export default function Security() {
  return (
    <AccountPage tab="security">
      <Password />
      <SecondFactor />
      <Contacts />
    </AccountPage>
  )
}
