/** Files of the domains that the rules allow as exceptions. Remove the line of a file when you rename or merge it. */

import type { Exceptions } from './domain-rules.ts'

export const EXCEPTIONS: Exceptions = {
  levels: {
    'access/access.cache.ts': 2,
    'access/seed.ts': 2,
    'access/system-roles.ts': 0,
    'activities/messages/messages-worker.ts': 2,
    'activities/passes/export.sheet.ts': 1,
    'accounts/passwords/failure-lock.ts': 2,
    'accounts/sessions/authenticate.ts': 2,
    'backups/backups.tasks.ts': 2,
    'chat/numbers.ts': 1,
    'delivery/gateways.ts': 0,
    'delivery/templates/codes.ts': 0,
    'delivery/templates/layout.ts': 0,
    'delivery/templates/notices.ts': 0,
    'delivery/delivery-worker.ts': 2,
    'metadata/types/computed.ts': 0,
    'metadata/types/dates.ts': 0,
    'metadata/types/geo.ts': 0,
    'metadata/types/numbers.ts': 0,
    'metadata/types/options.ts': 0,
    'metadata/types/references.ts': 0,
    'metadata/types/texts.ts': 0,
    'notifications/sends/sends-worker.ts': 2,
    'orgs/notifications.ts': 0,
    'push/payload.ts': 1,
    'push/sender.ts': 2,
    'push/push-worker.ts': 2,
    'qr-codes/blanks/label-counter.ts': 1,
    'qr-codes/codes/scan-counter.ts': 1,
    'qr-codes/drawing/check-queue.ts': 1,
    'qr-codes/drawing/drawing.worker.ts': 0,
  },
  small: [],
}
