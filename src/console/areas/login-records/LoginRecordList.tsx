/** Sign-ins and account events of all users. */

import { DataTable, DateTimeInput, SearchInput, SelectInput } from 'react-admin'

import { texts, useTexts } from '../../i18n/words.ts'
import { AdminList, TimeField } from '../../ui/admin.tsx'

const words = texts({
  en: { title: 'Login records', success: 'Succeeded', failed: 'Failed', device: 'Device', address: 'Address' },
  zh: { title: '登录记录', success: '成功', failed: '失败', device: '设备', address: '地址' },
})

export default function LoginRecordList() {
  const t = useTexts(words)
  const filters = [
    <SearchInput key="keyword" source="keyword" alwaysOn data-search />,
    <SelectInput
      key="status"
      source="status"
      alwaysOn
      choices={[
        { id: 'success', name: t.success },
        { id: 'failed', name: t.failed },
      ]}
    />,
    <DateTimeInput key="from" source="from" />,
    <DateTimeInput key="to" source="to" />,
  ]
  return (
    <AdminList title={t.title} filters={filters} sort={{ field: 'createdAt', order: 'DESC' }}>
      <DataTable bulkActionButtons={false} rowClick={false}>
        <DataTable.Col source="createdAt">
          <TimeField source="createdAt" />
        </DataTable.Col>
        <DataTable.Col source="username" disableSort />
        <DataTable.Col source="loginType" disableSort />
        <DataTable.Col source="status" disableSort />
        <DataTable.Col source="deviceName" label={t.device} disableSort />
        <DataTable.Col source="ipAddress" label={t.address} disableSort />
      </DataTable>
    </AdminList>
  )
}
