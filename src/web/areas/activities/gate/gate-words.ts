/** The rights of a gate without an account, in words. */

import { texts } from '../../../i18n/words.ts'

export const gateWords = texts({
  en: {
    directions: { BOTH: 'Entries and exits', ENTRY: 'Entries only', EXIT: 'Exits only' },
    showNames: 'Shows names',
    noNames: 'Shows no names',
    canSearch: 'Looks up passes by name',
    canUndo: 'Undoes its own scans',
  },
  zh: {
    directions: { BOTH: '入场和离场', ENTRY: '仅入场', EXIT: '仅离场' },
    showNames: '显示姓名',
    noNames: '不显示姓名',
    canSearch: '可按姓名查找',
    canUndo: '可撤销本机扫码',
  },
})
