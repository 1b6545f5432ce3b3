/** A version of an agreement as its readers see it. An earlier one can be put into effect again. */

import { CheckCircle, ContentCopy, Launch } from '@mui/icons-material'
import { Button, Card, CardContent } from '@mui/material'
import { Link, useParams } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import type { Agreement } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { useLabels } from '../../i18n/fields.ts'
import { dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { Answer } from '../../ui/Answer.tsx'
import { HistorySection } from '../../ui/History.tsx'
import { UserById } from '../../ui/named.tsx'
import { Page } from '../../ui/Page.tsx'
import { Facts } from '../../ui/parts.tsx'
import { Rendered } from '../../ui/Rendered.tsx'
import { Status } from '../../ui/Status.tsx'

const words = texts({
  en: {
    title: 'Agreement',
    active: 'In effect',
    earlier: 'Not in effect',
    page: 'Public page',
    next: 'New version from this one',
    activate: 'Put into effect',
    ask: (version: number) => `Put version ${version} into effect again?`,
    text: 'This version replaces the one that is in effect now. Users who never accepted it are asked to accept it.',
    done: 'The version is in effect.',
  },
  zh: {
    title: '协议',
    active: '生效中',
    earlier: '未生效',
    page: '公开页面',
    next: '基于此版本新建',
    activate: '重新生效',
    ask: (version: number) => `让第 ${version} 版重新生效？`,
    text: '它将替换当前生效的版本；从未接受过此版本的用户会被要求接受。',
    done: '该版本已生效。',
  },
})

export default function AgreementShow() {
  const t = useTexts(words)
  const may = useMay()
  const id = Number(useParams().id)
  const query = useCall('agreements.get', { params: { id } })
  const agreement = query.data
  return (
    <Page
      title={agreement?.title ?? t.title}
      back="/admin/agreements"
      actions={
        agreement && (
          <>
            {agreement.active && (
              <Button
                component="a"
                href={`/public/agreement/${agreement.type.toLowerCase()}`}
                target="_blank"
                rel="noopener"
                startIcon={<Launch />}
              >
                {t.page}
              </Button>
            )}
            {may('agreements.publish') && (
              <Button component={Link} to={`/admin/agreements/create?from=${id}`} startIcon={<ContentCopy />}>
                {t.next}
              </Button>
            )}
            {!agreement.active && <Activate agreement={agreement} />}
          </>
        )
      }
    >
      <Answer query={query}>{(data) => <Version agreement={data} />}</Answer>
    </Page>
  )
}

function Version({ agreement }: { agreement: Agreement }) {
  const t = useTexts(words)
  const f = useLabels()
  const typeOf = useEnum('agreementType')
  return (
    <>
      <Card variant="outlined" sx={{ mb: 2 }}>
        <CardContent>
          <Facts
            items={[
              [f('type'), typeOf(agreement.type)],
              [f('version'), agreement.version],
              [
                f('status'),
                <Status
                  key="status"
                  tone={agreement.active ? 'good' : 'neutral'}
                  text={agreement.active ? t.active : t.earlier}
                />,
              ],
              [f('publishedBy'), <UserById key="by" id={agreement.publishedBy} />],
              [f('createdAt'), dateTime(agreement.createdAt)],
            ]}
          />
        </CardContent>
      </Card>
      <Card variant="outlined">
        <CardContent>
          <Rendered html={agreement.contentHtml} />
        </CardContent>
      </Card>
      <HistorySection targetType="AGREEMENT" targetId={agreement.id} />
    </>
  )
}

function Activate({ agreement }: { agreement: Agreement }) {
  const t = useTexts(words)
  return (
    <ActionButton
      operation="agreements.activate"
      input={{ params: { id: agreement.id } }}
      icon={<CheckCircle />}
      label={t.activate}
      title={t.ask(agreement.version)}
      text={t.text}
      done={t.done}
      refreshes={['agreements', 'operationLog']}
      variant="contained"
      color="primary"
    />
  )
}
