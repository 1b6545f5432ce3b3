/** Messages that users have reported, as they were then. System administrators remove them or leave them. */

import { Check, DeleteOutlined } from '@mui/icons-material'

import { call } from '../../api/client.ts'
import type { AdminMessageReport } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { BulkAction } from '../../ui/BulkAction.tsx'
import { Table } from '../../ui/table/Table.tsx'

const words = texts({
  en: {
    title: 'Reported messages',
    none: 'No message was reported',
    message: 'Message',
    sender: 'Sender',
    reporter: 'Reported by',
    reason: 'Reason',
    reported: 'Reported',
    remove: 'Remove messages',
    removeTitle: (n: number) => (n === 1 ? 'Remove this message?' : `Remove ${n} messages?`),
    removeText: 'The content ends for everyone. Those who reported it are notified.',
    removed: (n: number) => (n === 1 ? 'The message is removed.' : `${n} messages are removed.`),
    dismiss: 'Leave messages',
    dismissTitle: (n: number) => (n === 1 ? 'Leave this message?' : `Leave ${n} messages?`),
    dismissText: 'The message stays. Those who reported it are notified.',
    dismissed: (n: number) => (n === 1 ? 'The message stays.' : `${n} messages stay.`),
  },
  zh: {
    title: '被举报的消息',
    none: '没有被举报的消息',
    message: '消息',
    sender: '发送者',
    reporter: '举报人',
    reason: '原因',
    reported: '举报时间',
    remove: '移除消息',
    removeTitle: (n: number) => (n === 1 ? '移除这条消息？' : `移除 ${n} 条消息？`),
    removeText: '所有人都将看不到其内容，举报人会收到通知。',
    removed: (n: number) => `已移除 ${n} 条消息。`,
    dismiss: '保留消息',
    dismissTitle: (n: number) => (n === 1 ? '保留这条消息？' : `保留 ${n} 条消息？`),
    dismissText: '消息会保留，举报人会收到通知。',
    dismissed: (n: number) => `已保留 ${n} 条消息。`,
  },
})

export default function ReportList() {
  const t = useTexts(words)
  const typeOf = useEnum('messageType')
  const textOf = ({ type, content }: AdminMessageReport) => {
    const text = content['text'] ?? content['caption'] ?? content['name'] ?? content['nickname']
    return type === 'TEXT' ? String(text) : `[${typeOf(type)}] ${text === undefined ? '' : String(text)}`
  }
  return (
    <Table
      operation="admin.chat.reports"
      title={t.title}
      filters={[{ source: 'status', kind: 'enum', of: 'messageReportStatus', always: true }]}
      bulk={
        <>
          <BulkAction
            label={t.remove}
            icon={<DeleteOutlined />}
            title={t.removeTitle}
            text={t.removeText}
            run={(id) => call('admin.chat.removeReported', { params: { id: Number(id) } })}
            done={t.removed}
            nameOf={(row: AdminMessageReport) => textOf(row)}
          />
          <BulkAction
            label={t.dismiss}
            icon={<Check />}
            title={t.dismissTitle}
            text={t.dismissText}
            run={(id) => call('admin.chat.dismissReport', { params: { id: Number(id) } })}
            done={t.dismissed}
            nameOf={(row: AdminMessageReport) => textOf(row)}
          />
        </>
      }
      columns={[
        { source: 'content', label: t.message, render: textOf },
        { source: 'sender', label: t.sender, render: ({ sender }) => sender.nickname },
        { source: 'reason', label: t.reason },
        { source: 'reporter', label: t.reporter, render: ({ reporter }) => reporter.nickname },
        { source: 'status', kind: 'enum', of: 'messageReportStatus' },
        { source: 'createdAt', kind: 'time', label: t.reported },
      ]}
    />
  )
}
