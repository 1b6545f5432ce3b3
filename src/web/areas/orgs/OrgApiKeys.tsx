/** The API keys that members have made for an organization. */

import { useAction } from '../../api/hooks.ts'
import { usePages } from '../../api/pages.ts'
import type { Organization } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ApiKeyRows } from '../../ui/api-keys.tsx'
import { Section } from '../../ui/parts.tsx'

const words = texts({
  en: {
    title: 'API keys',
    text: 'With these keys, programs of members work with the data of the organization. Members make them under Account → Security.',
    ended: 'The key has ended.',
    of: (name: string) => `Made by ${name}`,
  },
  zh: {
    title: 'API 密钥',
    text: '成员的程序用这些密钥处理组织的数据。成员可在“账号 → 安全”中创建。',
    ended: '密钥已终止。',
    of: (name: string) => `由${name}创建`,
  },
})

export default function OrgApiKeys({ org }: { org: Organization }) {
  const t = useTexts(words)
  const query = usePages('orgs.apiKeys', { params: { orgId: org.id } })
  const revoke = useAction('orgs.revokeApiKey', { done: t.ended })
  return (
    <Section title={t.title} text={t.text}>
      <ApiKeyRows
        query={query}
        about={({ owner }) => t.of(owner.nickname)}
        end={({ id }) => revoke.mutateAsync({ params: { orgId: org.id, keyId: id } })}
      />
    </Section>
  )
}
