/** All versions of the terms of service and the privacy policy. */

import { Add, Gavel } from '@mui/icons-material'
import { Button } from '@mui/material'
import { Link } from 'react-router'

import type { Agreement } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { useLabels } from '../../i18n/fields.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { AdminTable } from '../../ui/AdminTable.tsx'
import { EmptyState } from '../../ui/Answer.tsx'
import { EnumInput } from '../../ui/enums.tsx'
import { UserById } from '../../ui/named.tsx'
import { Status } from '../../ui/Status.tsx'

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
  const may = useMay()
  const typeOf = useEnum('agreementType')
  const state = ({ active }: Agreement) => (active ? t.active : t.earlier)
  return (
    <AdminTable<Agreement>
      title={t.title}
      createLabel={t.create}
      filters={[<EnumInput key="type" source="type" of="agreementType" alwaysOn />]}
      columns={[
        { source: 'title' },
        { source: 'type', render: ({ type }) => typeOf(type), text: ({ type }) => typeOf(type) },
        { source: 'version' },
        {
          source: 'active',
          label: f('status'),
          render: (row) => <Status tone={row.active ? 'good' : 'neutral'} text={state(row)} />,
          text: state,
        },
        { source: 'publishedBy', render: ({ publishedBy }) => <UserById id={publishedBy} /> },
        { source: 'createdAt' },
      ]}
      empty={
        <EmptyState
          icon={Gavel}
          title={t.none}
          text={t.noneText}
          action={
            may('agreements.publish') && (
              <Button
                component={Link}
                to="/admin/agreements/create"
                variant="contained"
                startIcon={<Add />}
                data-create
              >
                {t.create}
              </Button>
            )
          }
        />
      }
    />
  )
}
