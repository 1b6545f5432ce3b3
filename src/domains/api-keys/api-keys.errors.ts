/** The refusals of the api-keys domain. */

import { badRequest, forbidden } from '#http/errors.ts'

import { MAX_KEYS_OF_ORG, MAX_KEYS_OF_USER } from './api-keys.model.ts'

export const deviceOnly = () =>
  forbidden(
    'Set a password or bind a phone or e-mail first: an account that only this device can open makes no API keys',
    '请先设置密码或绑定手机、邮箱：仅凭设备登录的账号不能创建 API 密钥',
  )
export const tooManyKeys = () =>
  badRequest(`You may have at most ${MAX_KEYS_OF_USER} API keys`, `每个用户最多 ${MAX_KEYS_OF_USER} 个 API 密钥`)
export const tooManyKeysOfOrg = () =>
  badRequest(
    `The members of an organization may have at most ${MAX_KEYS_OF_ORG} API keys for it`,
    `每个组织的成员最多共有 ${MAX_KEYS_OF_ORG} 个该组织的 API 密钥`,
  )
export const keyEnded = () => badRequest('This API key has ended', '该 API 密钥已失效')
