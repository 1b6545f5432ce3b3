import { MESSAGE_TYPES } from '#db/schema/chat.ts'
import { settingDefinitions, type SettingKey } from '#domains/settings/index.ts'
import { Enum, Model, type Static, TimeZone, Type } from '#http/schema.ts'

type WithoutPrefix<K> = K extends `chat.${infer Name}` ? Name : never
export type ChatSettingName = WithoutPrefix<SettingKey>

const Setting = <K extends ChatSettingName>(name: K) => {
  const { schema, initial, description } = settingDefinitions[`chat.${name}`]
  const unit = name.endsWith('Bytes') ? ' bytes' : ''
  return { ...schema, description: `${description.en} ${initial}${unit} unless changed.` }
}

const fields = {
  textMaxLength: Setting('textMaxLength'),
  mediaMaxBytes: Setting('mediaMaxBytes'),
  maxContacts: Setting('maxContacts'),
  requestsPerDay: Setting('requestsPerDay'),
  requestExpiryDays: Setting('requestExpiryDays'),
  recallSeconds: Setting('recallSeconds'),
  editSeconds: Setting('editSeconds'),
  messagesPerMinute: Setting('messagesPerMinute'),
  draftMaxLength: Setting('draftMaxLength'),
  retentionDays: Setting('retentionDays'),
}
export const CHAT_SETTING_NAMES = Object.keys(fields) as ChatSettingName[]

export const ChatSettings = Model('ChatSettings', fields)
export type ChatSettings = Static<typeof ChatSettings>
export const ChatSettingsChange = Type.Partial(Type.Object(fields))
export type ChatSettingsChange = Static<typeof ChatSettingsChange>

const DAYS = ['7', '30', '90'] as const
export const ChatStatsQuery = Type.Object({
  days: Enum(DAYS, { default: '30', description: 'Days up to and including today' }),
  tz: TimeZone,
})
export type ChatStatsQuery = Static<typeof ChatStatsQuery>

const Count = Type.Integer({ minimum: 0 })
export const ChatStats = Model('ChatStats', {
  conversations: { ...Count, description: 'All that exist' },
  messages: { ...Count, description: 'All that exist, also recalled ones' },
  activeUsers: { ...Count, description: 'Users who sent something in the period' },
  contacts: { ...Count, description: 'Contacts of all users; two users who have each other count twice' },
  pendingRequests: Count,
  sockets: { ...Count, description: 'Open sockets of this server process' },
  byType: Type.Array(Type.Object({ type: Enum(MESSAGE_TYPES), count: Count }), {
    description: 'Messages of the period, the most frequent type first',
  }),
  byDay: Type.Array(
    Type.Object({
      date: Type.String({ examples: ['2026-03-08'] }),
      messages: Count,
      senders: { ...Count, description: 'Users who sent something on that day' },
    }),
    { description: 'Oldest first' },
  ),
})
export type ChatStats = Static<typeof ChatStats>
