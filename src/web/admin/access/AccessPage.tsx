/** Roles and permissions: the matrix, the explanation of a decision, and the permission points. */

import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { TabbedPage } from '../../ui/TabbedPage.tsx'
import { Explain } from './Explain.tsx'
import { Matrix } from './Matrix.tsx'
import { Points } from './Points.tsx'

const words = texts({
  en: {
    title: 'Roles and permissions',
    matrix: 'Roles',
    explain: 'Check a permission',
    points: 'Permission points',
  },
  zh: { title: '角色与权限', matrix: '角色', explain: '检查权限', points: '权限点' },
})

export default function AccessPage() {
  const t = useTexts(words)
  const may = useMay()
  return (
    <TabbedPage
      title={t.title}
      width="full"
      tabs={[
        { key: 'roles', label: t.matrix, content: <Matrix /> },
        {
          key: 'explain',
          label: t.explain,
          content: <Explain />,
          isShown: may('access.explain') && may('access.listPermissions'),
        },
        { key: 'points', label: t.points, content: <Points />, isShown: may('access.listPermissions') },
      ]}
    />
  )
}
