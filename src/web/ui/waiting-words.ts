/** Scans that this browser has the only copy of. */

import { texts } from '../i18n/words.ts'

export const waitingWords = texts({
  en: {
    waiting: (n: number) => (n === 1 ? '1 scan is waiting to be sent' : `${n} scans are waiting to be sent`),
    mayGo: 'This browser may delete them when its storage becomes full. Connect soon.',
  },
  zh: {
    waiting: (n: number) => `${n} 条记录待上传`,
    mayGo: '存储空间不足时，浏览器可能删除这些记录，请尽快联网。',
  },
})
