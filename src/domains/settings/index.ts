/** Business settings, which administrators can change while the server runs. */

import { domain } from '#domains/domain.ts'

import { settingEndpoints } from './console/admin.endpoints.ts'

export const settings = domain({ name: 'settings', endpoints: settingEndpoints })

export type { SettingKey, Settings, SettingValue } from './model.ts'
export { definitions as settingDefinitions, LARGEST_UPLOAD } from './model.ts'
export { changeSettings, getSetting, limitOf, setSetting } from './service.ts'
