import type { FieldProblem } from '#http/errors.ts'
import { MAX_TARGET_BYTES, type TargetProblem } from '#lib/link-target.ts'
import type { Localized } from '#lib/localized.ts'

const TEXTS: Readonly<Record<TargetProblem, Localized>> = {
  FORM: {
    en: 'must be an address that begins with https:// or http:// and a host',
    zh: '必须是以 https:// 或 http:// 加主机名开头的地址',
  },
  LENGTH: {
    en: `is longer than ${MAX_TARGET_BYTES} bytes, so a code cannot lead to it`,
    zh: `超过 ${MAX_TARGET_BYTES} 字节，二维码无法跳转`,
  },
  USER: { en: 'must not contain a user name or a password before its host', zh: '主机名之前不得含有用户名或密码' },
  CHARACTERS: {
    en: 'contains control characters, or characters that change the direction of text',
    zh: '含有控制字符或改变文字方向的字符',
  },
  BLOCKED: {
    en: 'leads to a host that the operator of this server has blocked',
    zh: '指向的主机已被此服务器的管理者屏蔽',
  },
  LOOP: {
    en: 'is a link of a code of this server, which could lead back to this one',
    zh: '是此服务器的二维码链接，可能形成循环跳转',
  },
}

export const wrongTarget = (path: string, problem: TargetProblem): FieldProblem => ({ path, text: TEXTS[problem] })
