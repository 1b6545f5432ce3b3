import { endpoint, platform } from '#http/endpoint.ts'

import { SettingList, SettingsChange } from './model.ts'
import { showSettings, updateSettings } from './service.ts'

const tag = 'Operations'

export const settingEndpoints = [
  endpoint({
    id: 'admin.settings.list',
    method: 'GET',
    path: '/api/admin/settings',
    summary: 'List all settings',
    description: 'The order is always the same. Settings of one group follow each other.',
    tag,
    access: platform('setting:read'),
    data: SettingList,
    run: ({ ctx, caller }) => showSettings(ctx, caller.locale),
  }),
  endpoint({
    id: 'admin.settings.update',
    method: 'PUT',
    path: '/api/admin/settings',
    summary: 'Change settings',
    description:
      'All values are changed together and take effect at once, or none is changed. `details` has one row for each key that is unknown, ' +
      'read-only or has a bad value. Lower limits spare everything that exists.',
    tag,
    access: platform('setting:update'),
    body: SettingsChange,
    data: SettingList,
    logs: 'SETTING_UPDATE',
    run: ({ actor, body, caller }) => updateSettings(actor, body, caller.locale),
  }),
]
