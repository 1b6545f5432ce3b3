import { endpoint, platform } from '#http/endpoint.ts'

import { SetupChange, SetupView } from './setup.model.ts'
import { markSteps, showSetup } from './setup.service.ts'

const tag = 'Server'
const path = '/api/admin/setup'
const refuses = { 403: 'You are not SYSTEM_ADMIN.' }

export const setupEndpoints = [
  endpoint({
    id: 'server.setup',
    method: 'GET',
    path,
    summary: 'Show how far the setup of the server is',
    tag,
    access: platform('system:read'),
    data: SetupView,
    refuses,
    run: ({ ctx, actor }) => showSetup(ctx, actor),
  }),
  endpoint({
    id: 'server.setup.update',
    method: 'PUT',
    path,
    summary: 'Mark steps of the setup',
    description:
      'Writes only the marks; the values of a step are changed by their own operations. Marks of steps that a start value decides, or that are not listed, are stored and have no effect.',
    tag,
    access: platform('setting:update'),
    body: SetupChange,
    data: SetupView,
    logs: 'SERVER_UPDATE',
    refuses,
    run: ({ ctx, actor, body }) => markSteps(ctx, actor, body),
  }),
]
