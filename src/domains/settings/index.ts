/** Business settings, which administrators can change while the server runs. */

export type { SettingKey, Settings, SettingValue } from './model.ts'
export { definitions as settingDefinitions, LARGEST_UPLOAD } from './model.ts'
export { getSetting, limitOf, setSetting } from './service.ts'
