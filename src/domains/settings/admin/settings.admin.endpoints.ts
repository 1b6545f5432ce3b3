import { endpoint, platform } from '#http/endpoint.ts'

import { SettingList, SettingsChange } from './settings.admin.model.ts'
import { showSettings, updateSettings } from './settings.admin.service.ts'

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
    run: ({ ctx, actor, caller }) => showSettings(ctx, actor, caller.locale),
  }),
  endpoint({
    id: 'admin.settings.update',
    method: 'PUT',
    path: '/api/admin/settings',
    summary: 'Change settings',
    description:
      'All values are changed together and take effect at once, or none is changed. `details` has one row for each key that is unknown, ' +
      'read-only or has a bad value. Lower limits spare everything that exists. Settings that protect the server (`systemAdminOnly`) are ' +
      'changed by SYSTEM_ADMIN only. `security.requireTotp` can be switched on only by administrators who have a second factor.',
    tag,
    access: platform('setting:update'),
    body: SettingsChange,
    data: SettingList,
    logs: 'SETTING_UPDATE',
    refuses: { 403: 'You are not SYSTEM_ADMIN, and a setting is changed by SYSTEM_ADMIN only.' },
    run: ({ ctx, actor, body, caller }) => updateSettings(ctx, actor, body, caller.locale),
  }),
]
