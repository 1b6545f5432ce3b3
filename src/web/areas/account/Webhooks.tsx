/** The user's own webhooks. */

import { Webhooks } from '../../ui/webhooks/Webhooks.tsx'
import { AccountPage } from './AccountPage.tsx'

export default function OwnWebhooks() {
  return (
    <AccountPage tab="webhooks">
      <Webhooks />
    </AccountPage>
  )
}
