/** Entry point of the web console. */

import './browser/storage.ts'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createBrowserRouter, RouterProvider } from 'react-router'

import { App } from './App.tsx'
import { startInstall } from './browser/install.ts'
import { startLive } from './session/live.ts'
import { startUnsent } from './shell/unsent.ts'

startLive()
startInstall()
startUnsent()
const router = createBrowserRouter([{ path: '*', element: <App /> }], { basename: '/console' })
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    {/* As transitions, navigations can be starved: after a sign-out the page went to the sign-in page for seconds. */}
    <RouterProvider router={router} useTransitions={false} />
  </StrictMode>,
)
