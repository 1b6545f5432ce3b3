import { Enum, Model, Nullable, type Static, Text, Time, Type, Untyped } from '#http/schema.ts'

export const SETTING_TYPES = ['BOOLEAN', 'INTEGER', 'STRING', 'LIST'] as const
export type SettingType = (typeof SETTING_TYPES)[number]

const AnyValue = (description: string) =>
  Untyped(Type.Union([Type.Boolean(), Type.Integer(), Type.String(), Type.Array(Type.String())]), {
    description: `${description}: a boolean, an integer, a string or a list of strings, as \`type\` says`,
    examples: [10_000],
  })
const Bound = Nullable(Type.Integer({ description: 'Of an INTEGER', examples: [0] }))

export const SettingView = Model('Setting', {
  key: Text('quota.qrCodes'),
  group: Text('quota', { description: 'The part of the key before the first dot' }),
  type: Enum(SETTING_TYPES),
  value: AnyValue('The value in force'),
  default: AnyValue('The value in force until an administrator changes it'),
  min: Bound,
  max: Bound,
  choices: Nullable(
    Type.Array(Type.String(), {
      description: 'The possible values of a STRING, or of the items of a LIST, if there is a fixed set',
      examples: [['OFF', 'DAILY', 'WEEKLY']],
    }),
  ),
  label: Text('QR codes', { description: "In the caller's language, as the description" }),
  description: Text('QR codes that each user and each organization may have; 0 = unlimited.'),
  readOnly: Type.Boolean({ description: 'Only the publication of an app version changes it' }),
  systemAdminOnly: Type.Boolean({ description: 'Only SYSTEM_ADMIN changes it' }),
  mayChange: Type.Boolean({ description: 'Whether you can change it, provided that you hold `setting:update`' }),
  lockedBy: Nullable(
    Text('TESSERA_BACKUP_DIR', { description: 'The start value that replaces the setting, and is changed elsewhere' }),
  ),
  locked: Nullable(
    Text('needs TESSERA_UPDATE_URL, which is not set', {
      description: 'Why it can only have its default on this server; the end of a sentence that begins with its label',
    }),
  ),
  updatedAt: Nullable({ ...Time, description: 'Null: it has its default' }),
})
export type SettingView = Static<typeof SettingView>

export const SettingList = Model('SettingList', { items: Type.Array(SettingView) })
export type SettingList = Static<typeof SettingList>

export const SettingsChange = Type.Object({
  values: Type.Record(Type.String(), Type.Unknown(), {
    description: 'New values by key; null means the default. Settings that you leave out stay as they are.',
    examples: [{ 'quota.qrCodes': 500, 'registration.enabled': null }],
  }),
})
export type SettingsChange = Static<typeof SettingsChange>
