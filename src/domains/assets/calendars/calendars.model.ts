import type { Budget } from '#http/budget.ts'
import { Id, Model, Nullable, type Static, Text, Time, Type } from '#http/schema.ts'
import { DAY } from '#platform/clock.ts'

export const NEW_LINKS: Budget = {
  name: 'asset-calendars',
  counts: { en: 'new calendar links', zh: '新日历链接' },
  per: 'user',
  limit: 50,
  windowMs: DAY,
  durable: true,
}

export const CreateCalendar = Model('CreateAssetCalendar', { orgId: Type.Optional(Nullable(Id)) })

export const CalendarState = Model('AssetCalendar', {
  enabled: Type.Boolean({ description: 'Whether there is a link' }),
  createdAt: Nullable(Time),
})
export type CalendarState = Static<typeof CalendarState>

export const CalendarLink = Model('AssetCalendarLink', {
  url: Text('http://localhost:8080/public/calendars/3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA.ics', {
    description: 'Anyone who knows it can read the calendar. It is shown only once',
  }),
  createdAt: Time,
})
export type CalendarLink = Static<typeof CalendarLink>

/** 32 random bytes in base64url, and the extension that calendar programs expect. */
export const ByFile = Type.Object({
  file: Type.String({
    pattern: '^[\\w-]{43}\\.ics$',
    examples: ['3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA.ics'],
  }),
})
