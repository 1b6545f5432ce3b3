/** Why a picture could not be read. */

import { texts } from '../i18n/words.ts'

export const readerWords = texts({
  en: {
    noReader: 'The code reader could not be loaded. Check your connection and try again.',
    noPicture: 'The file is not a picture that this browser can show.',
  },
  zh: {
    noReader: '识别组件加载失败，请检查网络后重试。',
    noPicture: '此浏览器无法显示该文件，请选择图片。',
  },
})
