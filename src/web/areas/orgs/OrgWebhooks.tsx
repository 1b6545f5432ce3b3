/** The webhooks of an organization, in its settings. */

import type { Organization } from '../../api/types.ts'
import { Webhooks } from '../../ui/webhooks/Webhooks.tsx'

export default function OrgWebhooks({ org }: { org: Organization }) {
  return <Webhooks orgId={org.id} />
}
