/** The consequences of deleting an activity, for its page and the list. */

import { texts } from '../../i18n/words.ts'

export const deletion = texts({
  en: {
    text: 'The activity is gone for everybody at once, with its check-ins, passes and registrations. This cannot be undone.',
  },
  zh: { text: '活动及其签到、通行证和报名将立即对所有人消失。此操作无法撤销。' },
})
