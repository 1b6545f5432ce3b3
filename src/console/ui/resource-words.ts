/** Words for the kinds of things that organizations own, by the names that the server counts them under. */

import { texts } from '../i18n/words.ts'

const en: Record<string, string> = {
  'QR codes': 'QR codes',
  activities: 'Activities',
  'pass templates': 'Pass templates',
  assets: 'Assets',
  'album photos': 'Album photos',
  files: 'Files',
}
const zh: Record<string, string> = {
  'QR codes': '二维码',
  activities: '活动',
  'pass templates': '通行证模板',
  assets: '资产',
  'album photos': '相册照片',
  files: '文件',
}

export const resourceWords = texts({ en, zh })
