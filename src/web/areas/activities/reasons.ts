/** Why a gate refuses a pass. */

import { texts } from '../../i18n/words.ts'

export const reasonWords = texts({
  en: {
    MALFORMED: 'Not a pass',
    FORGED: 'Forged or altered',
    WRONG_ACTIVITY: 'For another activity',
    UNKNOWN: 'Unknown pass',
    REVOKED: 'Revoked',
    EXPIRED: 'Expired',
    USED: 'Already used',
    ACTIVITY_NOT_ACTIVE: 'The activity is not open',
    NOT_YET_VALID: 'Not valid yet',
    NOT_ON_LIST: 'Not on this list',
    LIST_CLOSED: 'This list is closed',
    NOT_ENTERED: 'Not at the entrance yet',
    GATE_NOT_ALLOWED: 'Not allowed at this gate',
  },
  zh: {
    MALFORMED: '不是通行证',
    FORGED: '伪造或被改动',
    WRONG_ACTIVITY: '属于其他活动',
    UNKNOWN: '未知通行证',
    REVOKED: '已作废',
    EXPIRED: '已过期',
    USED: '已使用',
    ACTIVITY_NOT_ACTIVE: '活动未开放',
    NOT_YET_VALID: '尚未生效',
    NOT_ON_LIST: '不在此名单中',
    LIST_CLOSED: '此名单不在开放时间内',
    NOT_ENTERED: '尚未在入口入场',
    GATE_NOT_ALLOWED: '该检票口无权放行',
  },
})
