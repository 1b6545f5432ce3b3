/** Words of the steps of the setup. */

import type { SetupStep } from '../../api/types.ts'
import { textsOf } from '../../i18n/words.ts'

export type StepKey = SetupStep['key']

export const stepNames = textsOf<StepKey>({
  language: { en: 'Language', zh: '语言' },
  name: { en: 'Name', zh: '名称' },
  reach: { en: 'Address', zh: '访问地址' },
  certificate: { en: 'Certificate', zh: '证书' },
  mail: { en: 'Mail', zh: '邮件' },
  registration: { en: 'Registration', zh: '注册' },
  backup: { en: 'Backups', zh: '备份' },
  organization: { en: 'Organization', zh: '组织' },
  invite: { en: 'Members', zh: '成员' },
})

/** Where each step can be done later. */
export const LATER: Readonly<Record<StepKey, string>> = {
  language: '/admin/settings?keyword=server.language',
  name: '/admin/site',
  reach: '/admin/address',
  certificate: '/admin/address',
  mail: '/admin/site',
  registration: '/admin/settings?keyword=registration.enabled',
  backup: '/admin/settings?keyword=backup.',
  organization: '/orgs/new',
  invite: '/orgs',
}
