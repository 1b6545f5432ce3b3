/** What administrators may change about the business while the server runs. */
export type { SettingKey, SettingValue } from './model.ts'
export { getSetting, setSetting } from './service.ts'
