import { dualByRow, endpoint, open } from '#http/endpoint.ts'
import { ById, InOrg } from '#http/schema.ts'

import { BySecret, KioskLink, KioskState } from './kiosk.model.ts'
import * as service from './kiosk.service.ts'

const tag = 'Check-in'
const path = '/api/activities/:id/kiosk'

export const kioskEndpoints = [
  endpoint({
    id: 'activities.openKiosk',
    method: 'POST',
    path,
    summary: 'Get the link of the screen that shows the check-in code',
    description:
      'Anyone who knows it can open the page, without signing in. The same link is answered until you end it. The code on the page ' +
      'changes if `checkInConfig.rotatingSeconds` is set.',
    tag,
    access: dualByRow('activity:update'),
    params: ById,
    query: InOrg,
    data: KioskLink,
    ignoresKey: 'It answers the same link again.',
    refuses: {
      400: 'The activity is over, or has no check-in.',
      403: 'You may see the activity, but not change it.',
    },
    run: ({ ctx, owner, params, caller }) => service.openKiosk(ctx, params.id, { viewer: owner, caller }),
  }),
  endpoint({
    id: 'activities.endKiosk',
    method: 'DELETE',
    path,
    summary: 'End the link of the screen that shows the check-in code',
    description: 'Nothing changes if there is none.',
    tag,
    access: dualByRow('activity:update'),
    params: ById,
    query: InOrg,
    refuses: { 403: 'You may see the activity, but not change it.' },
    run: ({ ctx, owner, params, caller }) => service.endKiosk(ctx, params.id, { viewer: owner, caller }),
  }),
  endpoint({
    id: 'activities.kiosk',
    method: 'GET',
    path: '/public/kiosk/:secret',
    secrets: ['secret'],
    summary: 'Get the present check-in code for a screen',
    description:
      'The page `/s/kiosk/{secret}` asks every 5 seconds. 60 requests a minute for each link; 60 wrong links a minute from an IP address.',
    tag: 'Public pages',
    access: open,
    isSecretLink: true,
    params: BySecret,
    data: KioskState,
    refuses: { 404: 'The link is wrong, or was ended.' },
    run: ({ ctx, params, caller }) => service.readKiosk(ctx, params.secret, caller),
  }),
]
