/** Scans at gates that were made without a connection, for the outbox. */

import { outboxOf } from '../../../session/outbox.ts'

export const gateOutbox = outboxOf({
  name: 'gate',
  // The server takes 1,000.
  batch: 200,
  send: async (scans) => (await import('./gate-store.ts')).uploadScans(scans),
  notice: (n) => ({
    en: `${n === 1 ? '1 scan at a gate was' : `${n} scans at a gate were`} not sent yet. Sign in with this browser again to send ${n === 1 ? 'it' : 'them'}.`,
    zh: `${n} 条检票记录尚未上传，将在你下次用此浏览器登录时上传。`,
  }),
})
