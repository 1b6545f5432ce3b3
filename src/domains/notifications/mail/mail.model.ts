import { ACTIVITY_MAILS, ASSET_MAILS } from '#db/schema/notifications.ts'
import { Enum, Line, Model, Named, Nullable, Raw, type Static, Type } from '#http/schema.ts'

const ActivityMails = Named(
  'ActivityMails',
  Enum(ACTIVITY_MAILS, {
    description:
      'Mails about activities. IMPORTANT: about your own registration and pass, and about date, place and cancellation; no messages of organizers',
    examples: ['ALL'],
  }),
)
const AssetMails = Named(
  'AssetMails',
  Enum(ASSET_MAILS, {
    description:
      'Mails about assets, while the setting `mail.assetReminders` is on. DAILY: the digest, once a day if it has anything to say. AT_ONCE: also ' +
      'each notification of type ASSET',
    examples: ['DAILY'],
  }),
)
const DigestHour = Type.Integer({
  minimum: 0,
  maximum: 23,
  description: 'When the digest is sent, by the clock of `timeZone`',
  examples: [7],
})
const Zone = {
  description: 'IANA name of the zone that mails to you also name the times in',
  examples: ['Asia/Shanghai'],
}

export const PreferencesView = Model('NotificationPreferences', {
  emailActivities: ActivityMails,
  emailAssets: AssetMails,
  digestHour: DigestHour,
  timeZone: Line(64, 1, Zone),
})
export type PreferencesView = Static<typeof PreferencesView>

export const UpdatePreferences = Model('UpdateNotificationPreferences', {
  emailActivities: Type.Optional(ActivityMails),
  emailAssets: Type.Optional(AssetMails),
  digestHour: Type.Optional(DigestHour),
  timeZone: Type.Optional(
    Nullable(Line(64, 1, { ...Zone, description: `${Zone.description}; null for that of the server` })),
  ),
})
export type UpdatePreferences = Static<typeof UpdatePreferences>

export const MAIL_PATH = '/public/mail'
export const ByMailToken = Type.Object({
  token: Raw(1000, 1, { description: 'From the link in a mail', examples: ['q8Jm2Vd0Tz4xYwB7nKcR1A'] }),
})

/** Choices on the page. ORGANIZER: no more messages of the owner of the activity. DAILY and AT_ONCE are about assets. */
export const MAIL_CHOICES = ['ORGANIZER', 'IMPORTANT', 'NONE', 'ALL', 'DAILY', 'AT_ONCE'] as const
export type MailChoice = (typeof MAIL_CHOICES)[number]
export const ChooseMails = Model('ChooseMails', {
  choice: Type.Optional(
    Enum(MAIL_CHOICES, {
      default: 'ORGANIZER',
      description:
        'ORGANIZER: no messages of this organizer. IMPORTANT: no messages of any organizer. NONE: no mails about activities. ALL: all of them again. ' +
        'A mail program that sends the one-click form of RFC 8058 chooses ORGANIZER. In the link of an invitation, ALL allows invitations again, and ' +
        'all others end those of everybody. In the link of a mail about assets, ALL and DAILY choose the digest, AT_ONCE also each notification, and ' +
        'all others no mails about assets',
    }),
  ),
})
export type ChooseMails = Static<typeof ChooseMails>

/** Whether a person may be mailed: messages of organizers, or what concerns their own registration, date, place and cancellation. */
export type Importance = 'MESSAGE' | 'IMPORTANT'
export type MailRefusal = 'OPTED_OUT' | 'SUPPRESSED'
