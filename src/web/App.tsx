/** The web application: the pages before the sign-in, and for signed-in users the shell with all others. */

import { CssBaseline, ThemeProvider } from '@mui/material'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Navigate, Route, Routes, useLocation } from 'react-router'

import { isAway, onConnection } from './api/connection.ts'
import { ApiError, isLost } from './api/errors.ts'
import { mayBeSignedIn, onLogin } from './api/tokens.ts'
import { site } from './browser/site.ts'
import { currentSession, hasSignedOut, onSession, restoreSession, useOptionalSession } from './session/session.ts'
import { Notices } from './shell/Notices.tsx'
import { PageErrors } from './shell/PageError.tsx'
import { themes, useThemeMode } from './shell/theme.ts'
import { SignIn } from './sign-in/SignIn.tsx'
import type { Target } from './sign-in/target.ts'
import { part } from './ui/part.tsx'

const loadShell = () => import('./shell/Shell.tsx')
const Shell = part(loadShell, Ring)
const Register = part(() => import('./sign-in/Register.tsx'), Ring)
const Start = part(() => import('./sign-in/Start.tsx'), Ring)
const ChangeInitial = part(() => import('./sign-in/ChangeInitial.tsx'), Ring)
const Forgot = part(() => import('./sign-in/Forgot.tsx'), Ring)
const LinkGate = part(() => import('./areas/activities/gate/LinkGate.tsx'), Ring)

const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // A refusal stays a refusal; a lost connection may come back.
      retry: (count, error) => count < 2 && (!(error instanceof ApiError) || isLost(error)),
      // By default, calls without a connection wait and show nothing, and writes are sent at any time later.
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    mutations: { networkMode: 'always' },
  },
})

// The next user of this browser must not see what the one before has read.
onLogin((login) => {
  if (login === undefined) queryClient.clear()
})

// The user was asked for with the session.
onSession(() => {
  const session = currentSession()
  if (session?.isKept === false) queryClient.setQueryData(['profile', 'get', {}], session.user)
})

onConnection(() => {
  if (!isAway()) void queryClient.invalidateQueries()
})

export function App() {
  const [mode] = useThemeMode()
  const { pathname } = useLocation()
  return (
    <QueryClientProvider client={queryClient}>
      <ThemeProvider theme={themes[mode]}>
        <CssBaseline enableColorScheme />
        <PageErrors at={pathname}>
          <Routes>
            <Route path="/login" element={<SignIn />} />
            <Route path="/register" element={<Register />} />
            <Route path="/forgot" element={<Forgot />} />
            <Route path="/start" element={<Start />} />
            <Route path="/gate" element={<LinkGate />} />
            <Route path="*" element={<SignedIn />} />
          </Routes>
        </PageErrors>
        <Notices />
      </ThemeProvider>
    </QueryClientProvider>
  )
}

/** The pages of signed-in users. Others go to the sign-in, and afterwards back to the page that they wanted unless they had signed out. */
function SignedIn() {
  const session = useOptionalSession()
  const { pathname, search, hash } = useLocation()
  const [isKnown, setKnown] = useState(session !== undefined)
  useEffect(() => {
    if (isKnown) return
    // Loaded while the session is restored.
    if (mayBeSignedIn()) void loadShell().catch(() => undefined)
    void restoreSession()
      .catch(() => undefined)
      .then(() => setKnown(true))
  }, [isKnown])
  if (session !== undefined) return session.mustChangePassword ? <ChangeInitial /> : <Shell />
  if (!isKnown) return <Ring />
  if (new URLSearchParams(search).has('ticket')) return <Navigate to={`/login${search}`} replace />
  const target: Target | null = hasSignedOut() ? null : { nextPathname: pathname, nextSearch: search, nextHash: hash }
  return <Navigate to="/login" replace state={target} />
}

/** The ring of index.html, until there is something to show. */
function Ring() {
  return <output className="loading" aria-label={site.name} />
}
