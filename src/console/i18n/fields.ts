/** Labels of fields, by the names that they have in the interface. Used by the tables and forms of administrators. */

import type { Localized } from './locale.ts'

export const fields: Readonly<Record<string, Localized>> = {
  id: { en: 'Number', zh: '编号' },
  name: { en: 'Name', zh: '名称' },
  username: { en: 'Username', zh: '用户名' },
  nickname: { en: 'Nickname', zh: '昵称' },
  email: { en: 'E-mail', zh: '邮箱' },
  phone: { en: 'Phone', zh: '手机号' },
  password: { en: 'Password', zh: '密码' },
  status: { en: 'Status', zh: '状态' },
  type: { en: 'Type', zh: '类型' },
  title: { en: 'Title', zh: '标题' },
  content: { en: 'Content', zh: '内容' },
  description: { en: 'Description', zh: '描述' },
  remark: { en: 'Remark', zh: '备注' },
  keyword: { en: 'Search', zh: '搜索' },
  userId: { en: 'User', zh: '用户' },
  orgId: { en: 'Organization', zh: '组织' },
  owner: { en: 'Owner', zh: '所有者' },
  ownerId: { en: 'Owner', zh: '所有者' },
  roleName: { en: 'Role', zh: '角色' },
  role: { en: 'Role', zh: '角色' },
  from: { en: 'From', zh: '开始时间' },
  to: { en: 'Until', zh: '结束时间' },
  createdAt: { en: 'Created', zh: '创建时间' },
  updatedAt: { en: 'Changed', zh: '更新时间' },
  loginType: { en: 'Event', zh: '事件' },
  lastLoginAt: { en: 'Last sign-in', zh: '最近登录' },
}
