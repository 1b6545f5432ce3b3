import { texts, useTexts } from '../../i18n/words.ts'
import { Restarting } from '../../ui/Restarting.tsx'

const words = texts({
  en: {
    title: 'The server is replacing its data',
    text: 'This takes some minutes. This page loads again by itself; you may have to sign in again.',
  },
  zh: { title: '服务器正在替换数据', text: '这需要几分钟。页面会自动重新加载，可能需要重新登录。' },
})

/** While the server restores a backup. */
export const Replacing = () => <Restarting {...useTexts(words)} to="/console/admin/backups" />
