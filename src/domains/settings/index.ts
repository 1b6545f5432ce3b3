/** Business settings, which administrators can change while the server runs. */

import { domain } from '#domains/domain.ts'

import { settingEndpoints } from './admin/settings.admin.endpoints.ts'
import { loadServerValues } from './values/values.service.ts'

export const settings = domain({ name: 'settings', endpoints: settingEndpoints, seed: loadServerValues })

export type { SettingKey, Settings, SettingValue } from './settings.model.ts'
export { definitions as settingDefinitions, LARGEST_UPLOAD } from './settings.model.ts'
export { changeSettings, getSetting, limitOf, lockOf, setSetting } from './settings.service.ts'
export { MAX_ALIASES, type PartValue, parts, type ServerValues } from './values/values.model.ts'
export {
  ignoredIn,
  loadServerValues,
  onServerValues,
  readServerValues,
  serverValues,
  setServerValue,
} from './values/values.service.ts'
