/** Helpers for the tests of mails about activities. */

import type { SentMail } from '../harness/mail-sink.ts'

/** The path of the page in a mail on which mails are stopped. */
export const stopPath = (mail: SentMail): string =>
  new URL(/^<(.+)>$/.exec(mail.headers.get('list-unsubscribe') ?? '')![1]!).pathname

/** The lines of an iCalendar file, unfolded: `SUMMARY` → `Lake cleanup`. */
export function calendarFields(calendar: string): Map<string, string> {
  const lines = calendar.replace(/\r\n[ \t]/g, '').split('\r\n')
  return new Map(
    lines.map((line) => {
      const [, name = '', value = ''] = /^([A-Z-]+)[^:]*:(.*)$/.exec(line) ?? []
      return [name, value]
    }),
  )
}
