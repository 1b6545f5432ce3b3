/** The business settings about other programs that work with this server. */

import { Type } from '@sinclair/typebox'

import { integer, protection, setting } from './kinds.model.ts'

export const programs = {
  'apiKeys.enabled': protection(
    Type.Boolean(),
    true,
    [
      'API keys',
      'Whether programs may use API keys. Switched off, all keys are refused, and they work again afterwards.',
    ],
    ['API 密钥', '程序是否可使用 API 密钥。关闭后所有密钥都会被拒绝，重新开启后恢复可用。'],
  ),
  'apiKeys.perMinute': setting(
    integer(0, 1_000_000),
    600,
    ['Requests of an API key', 'Requests that one API key may make in a minute; 0 = unlimited.'],
    ['API 密钥请求数', '每个 API 密钥每分钟可发出的请求数；0 表示不限。'],
  ),
  'mcp.enabled': protection(
    Type.Boolean(),
    false,
    [
      'Assistants',
      'Whether assistants may use this server by the Model Context Protocol at `/mcp`, with API keys that allow it.',
    ],
    ['智能助手', '智能助手是否可通过 Model Context Protocol（`/mcp`）使用此服务器，须使用允许此用途的 API 密钥。'],
  ),
} as const
