/** Business settings, which administrators can change while the server runs. */

import { domain } from '#domains/domain.ts'

import { settingEndpoints } from './admin/settings.admin.endpoints.ts'

export const settings = domain({ name: 'settings', endpoints: settingEndpoints })

export type { SettingKey, Settings, SettingValue } from './settings.model.ts'
export { definitions as settingDefinitions, LARGEST_UPLOAD } from './settings.model.ts'
export { changeSettings, getSetting, limitOf, setSetting } from './settings.service.ts'
