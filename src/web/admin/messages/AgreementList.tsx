/** All versions of the terms of service and the privacy policy. */

import { Gavel } from '@mui/icons-material'

import type { Agreement } from '../../api/types.ts'
import { useLabels } from '../../i18n/fields.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { UserById } from '../../ui/named.tsx'
import { Status } from '../../ui/Status.tsx'
import { Table } from '../../ui/table/Table.tsx'

const words = texts({
  en: {
    title: 'Agreements',
    create: 'Publish version',
    none: 'No agreements yet',
    noneText:
      'Publish the terms of service and the privacy policy. Users are asked to accept them, and everybody can read them.',
    active: 'In effect',
    earlier: 'Not in effect',
  },
  zh: {
    title: '协议',
    create: '发布版本',
    none: '还没有协议',
    noneText: '请发布服务条款和隐私政策。系统会请用户接受，任何人都可以阅读。',
    active: '生效中',
    earlier: '未生效',
  },
})

export default function AgreementList() {
  const t = useTexts(words)
  const f = useLabels()
  const state = ({ active }: Agreement) => (active ? t.active : t.earlier)
  return (
    <Table
      operation="agreements.list"
      title={t.title}
      create={{ to: '/admin/agreements/create', needs: 'agreements.publish', label: t.create }}
      opens={{ to: ({ id }) => `/admin/agreements/${id}/show`, needs: 'agreements.get' }}
      filters={[{ source: 'type', kind: 'enum', of: 'agreementType', always: true }]}
      columns={[
        { source: 'title' },
        { source: 'type', kind: 'enum', of: 'agreementType' },
        { source: 'version' },
        {
          source: 'active',
          label: f('status'),
          render: (row) => <Status tone={row.active ? 'good' : 'neutral'} text={state(row)} />,
          text: state,
        },
        { source: 'publishedBy', render: ({ publishedBy }) => <UserById id={publishedBy} /> },
        { source: 'createdAt', kind: 'time' },
      ]}
      empty={{ icon: Gavel, title: t.none, text: t.noneText }}
    />
  )
}
