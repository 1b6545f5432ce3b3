/** The setup of the server, step by step. The setup page of the server and the overview lead to it. */

import { area } from '../../areas/area.ts'
import { part } from '../../ui/part.tsx'

export const setup = area({
  pages: [{ path: '/admin/setup', component: part(() => import('./SetupPage.tsx')), needs: 'server.setup.update' }],
})
