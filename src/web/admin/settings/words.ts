/** Words for the groups of settings and for their values. The texts of the settings themselves come from the server. */

import { texts } from '../../i18n/words.ts'

const groupsEn: Record<string, string> = {
  server: 'Server',
  registration: 'Registration',
  quota: 'Limits for users and organizations',
  assets: 'Assets',
  chat: 'Chat',
  links: 'Short links',
  budget: 'Limits against misuse',
  upload: 'Uploads',
  app: 'App',
  password: 'Passwords',
  security: 'Security',
  apiKeys: 'API keys',
  mcp: 'Assistants',
  oidc: 'Sign-in by a provider',
  webhooks: 'Webhooks',
  http: 'Interface',
  backup: 'Backups',
  update: 'Newer versions',
  log: 'Operation log',
}
const groupsZh: Record<string, string> = {
  server: '服务器',
  registration: '注册',
  quota: '用户和组织的限额',
  assets: '资产',
  chat: '聊天',
  links: '短链接',
  budget: '防滥用限额',
  upload: '上传',
  app: '应用',
  password: '密码',
  security: '安全',
  apiKeys: 'API 密钥',
  mcp: '智能助手',
  oidc: '身份提供方登录',
  webhooks: 'Webhook',
  http: '接口',
  backup: '备份',
  update: '新版本',
  log: '操作日志',
}
export const groupWords = texts({ en: groupsEn, zh: groupsZh })

export const settingWords = texts({
  en: {
    on: 'On',
    off: 'Off',
    empty: 'empty',
    atLeast: (min: string) => `${min} or more`,
    /** Of `backup.schedule` and `server.language`. */
    choices: {
      OFF: 'Never',
      DAILY: 'Every day',
      WEEKLY: 'Every Sunday',
      en: 'English',
      zh: '中文',
      PROVED: 'Known users',
      ALL: 'All users',
      NONE: 'Nobody',
      ADMINS: 'Administrators',
    },
  },
  zh: {
    on: '开',
    off: '关',
    empty: '空',
    atLeast: (min: string) => `不小于 ${min}`,
    choices: {
      OFF: '从不',
      DAILY: '每天',
      WEEKLY: '每周日',
      en: 'English',
      zh: '中文',
      PROVED: '已验证的用户',
      ALL: '所有用户',
      NONE: '任何人都不',
      ADMINS: '管理员',
    },
  },
})
