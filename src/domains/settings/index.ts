/** Business settings, which administrators can change while the server runs. */

export type { SettingKey, SettingValue } from './model.ts'
export { getSetting, setSetting } from './service.ts'
