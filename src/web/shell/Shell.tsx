/** Everything that signed-in users see: the frame with bar and menu, and the pages of all areas. */

import { useMemo } from 'react'
import { Route, Routes, useParams } from 'react-router'

import type { Page } from '../areas/area.ts'
import { useMay, useSession } from '../session/session.ts'
import { NoAccess, NotFound } from '../ui/NotFound.tsx'
import { PageSkeleton } from '../ui/PageSkeleton.tsx'
import { areas } from './areas.ts'
import { Home } from './Home.tsx'
import { Layout } from './Layout.tsx'
import { startUnsent } from './unsent.ts'

startUnsent()

const pages = areas.flatMap((area) => area.pages ?? [])

/** A page, unless the user may not see it. Ids of all pages are numbers. */
function Checked({ page: { component: Component, needs } }: { page: Page }) {
  const { id } = useParams()
  const may = useMay()
  const { isKept } = useSession()
  if (id !== undefined && !/^\d+$/.test(id)) return <NotFound />
  if (needs === undefined || may(needs)) return <Component />
  return isKept ? <PageSkeleton /> : <NoAccess />
}

export default function Shell() {
  const routes = useMemo(
    () => (
      <Routes>
        <Route path="/" element={<Home />} />
        {pages.map((page) => (
          <Route key={page.path} path={page.path} element={<Checked page={page} />} />
        ))}
        <Route path="*" element={<NotFound />} />
      </Routes>
    ),
    [],
  )
  return <Layout>{routes}</Layout>
}
