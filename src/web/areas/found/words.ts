import { common } from '../../i18n/common.ts'
import { texts } from '../../i18n/words.ts'

export const foundWords = texts({
  en: {
    ...common.en,
    title: 'Found',
    states: { OPEN: 'Open', RETURNED: 'Returned', CLOSED: 'Closed' },
    finder: 'Finder',
    owner: 'You',
  },
  zh: {
    ...common.zh,
    title: '拾获留言',
    states: { OPEN: '待处理', RETURNED: '已取回', CLOSED: '已关闭' },
    finder: '捡到的人',
    owner: '你',
  },
})
