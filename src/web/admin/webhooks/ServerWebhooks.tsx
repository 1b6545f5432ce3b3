/** Webhooks that get the events of all users and organizations, with ids, names and kinds. */

import { things } from '../../i18n/things.ts'
import { useLocale } from '../../i18n/words.ts'
import { Page } from '../../ui/Page.tsx'
import { Webhooks } from '../../ui/webhooks/Webhooks.tsx'

export default function ServerWebhooks() {
  return (
    <Page title={things.webhook.many[useLocale()]}>
      <Webhooks isOfServer />
    </Page>
  )
}
