/** Texts about disabling and enabling users, for the list and the page of a user. */

import { texts } from '../../i18n/words.ts'

export const statusWords = texts({
  en: {
    disable: 'Disable',
    enable: 'Enable',
    disableMany: (n: number) => (n === 1 ? 'Disable this user?' : `Disable ${n} users?`),
    enableMany: (n: number) => (n === 1 ? 'Enable this user?' : `Enable ${n} users?`),
    disableText:
      'They are signed out everywhere at once and cannot sign in until somebody enables the account. Their data stays.',
    enableText: 'They can sign in again at once.',
    disabledMany: (n: number) => (n === 1 ? 'The user is disabled and signed out.' : `${n} users are disabled.`),
    enabledMany: (n: number) => (n === 1 ? 'The user can sign in again.' : `${n} users can sign in again.`),
  },
  zh: {
    disable: '停用',
    enable: '启用',
    disableMany: (n: number) => (n === 1 ? '停用此用户？' : `停用 ${n} 个用户？`),
    enableMany: (n: number) => (n === 1 ? '启用此用户？' : `启用 ${n} 个用户？`),
    disableText: '账号会立即在所有设备上退出登录，重新启用之前无法登录。数据会保留。',
    enableText: '账号可以立即重新登录。',
    disabledMany: (n: number) => (n === 1 ? '用户已停用并退出登录。' : `已停用 ${n} 个用户。`),
    enabledMany: (n: number) => (n === 1 ? '用户可以重新登录。' : `${n} 个用户可以重新登录。`),
  },
})
