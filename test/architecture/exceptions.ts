/** Files of the domains that the rules allow as exceptions. Remove the line of a file when you rename or merge it. */

import type { Exceptions } from './domain-rules.ts'

export const EXCEPTIONS: Exceptions = {
  levels: {
    'access/cache.ts': 2,
    'access/seed.ts': 2,
    'access/system-roles.ts': 0,
    'accounts/passwords/failure-lock.ts': 2,
    'accounts/sessions/authenticate.ts': 2,
    'accounts/sessions/lifecycle.ts': 2,
    'delivery/gateways.ts': 0,
    'delivery/templates/codes.ts': 0,
    'delivery/templates/layout.ts': 0,
    'delivery/templates/notices.ts': 0,
    'delivery/worker.ts': 2,
    'notifications/sends/worker.ts': 2,
    'orgs/notifications.ts': 0,
    'qr-codes/codes/batch.ts': 2,
    'qr-codes/codes/copy.ts': 2,
    'qr-codes/codes/quota.ts': 2,
    'qr-codes/codes/write.ts': 2,
    'qr-codes/export/table.ts': 2,
    'qr-codes/list/reader.ts': 2,
    'qr-codes/owner.ts': 0,
    'qr-codes/public/scan-counter.ts': 1,
    'qr-codes/render/link.ts': 0,
    'qr-codes/stats/days.ts': 0,
  },
  small: ['qr-codes/codes/copy.ts', 'qr-codes/scans/view.ts', 'shares/errors.ts', 'shares/view.ts'],
}
