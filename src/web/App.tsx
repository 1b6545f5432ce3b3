/** The web application: react-admin with the pages and tables of all areas. */

import { QueryClient } from '@tanstack/react-query'
import { type ReactElement, useMemo } from 'react'
import { Admin, CustomRoutes, localStorageStore, Resource, type Store } from 'react-admin'
import { Route, useParams } from 'react-router'

import { createDataProvider } from './api/data-provider.ts'
import { ApiError, isLost } from './api/errors.ts'
import { onLogin } from './api/tokens.ts'
import { createI18nProvider } from './i18n/provider.ts'
import { useLocale } from './i18n/words.ts'
import { createAuthProvider } from './session/auth-provider.ts'
import { areas } from './shell/areas.ts'
import { Home } from './shell/Home.tsx'
import { Layout } from './shell/Layout.tsx'
import { NotFound } from './shell/NotFound.tsx'
import { Notices } from './shell/Notices.tsx'
import { PageError } from './shell/PageError.tsx'
import { darkTheme, lightTheme } from './shell/theme.ts'
import { Forgot } from './sign-in/Forgot.tsx'
import { Register } from './sign-in/Register.tsx'
import { SignIn } from './sign-in/SignIn.tsx'

const resources = areas.flatMap((area) => area.resources ?? [])
const pages = areas.flatMap((area) => area.pages ?? [])
const dataProvider = createDataProvider(resources)
const authProvider = createAuthProvider(resources)
const i18nProvider = createI18nProvider()
const stored = localStorageStore('1', 'tessera')
/** A sign-out empties it, so that the next user does not see the filters of this one, but keeps light or dark. */
const store: Store = {
  ...stored,
  reset() {
    const theme = stored.getItem<string>('theme')
    stored.reset()
    if (theme !== undefined) stored.setItem('theme', theme)
  },
}

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
  // react-admin keeps that the visitor was not signed in, and would end the session of a new account.
  else queryClient.removeQueries({ queryKey: ['auth'], predicate: ({ state }) => state.status === 'error' })
})

/** A page, or the one for wrong addresses if its id is no number. Ids of all pages are numbers. */
function Numbered({ page }: { page: ReactElement }) {
  const { id } = useParams()
  return id === undefined || /^\d+$/.test(id) ? page : <NotFound />
}

export function App() {
  const locale = useLocale()
  const shown = useMemo(() => pages.filter((page) => !page.isPublic), [])
  return (
    <Admin
      authProvider={authProvider}
      catchAll={NotFound}
      dashboard={Home}
      dataProvider={dataProvider}
      darkTheme={darkTheme}
      disableTelemetry
      error={PageError}
      i18nProvider={i18nProvider}
      layout={Layout}
      lightTheme={lightTheme}
      loginPage={SignIn}
      notification={Notices}
      queryClient={queryClient}
      requireAuth
      store={store}
      title="Tessera"
    >
      {resources.map(({ name, label, list, show, create, edit, representation }) => (
        <Resource
          key={name}
          name={name}
          list={list}
          options={{ label: label[locale] }}
          {...(show && { show })}
          {...(create && { create })}
          {...(edit && { edit })}
          {...(representation && { recordRepresentation: representation as (record: unknown) => string })}
        />
      ))}
      <CustomRoutes>
        {shown.map(({ path, component: Page }) => (
          <Route key={path} path={path} element={<Numbered page={<Page />} />} />
        ))}
      </CustomRoutes>
      <CustomRoutes noLayout>
        {pages.flatMap(({ path, component: Page, isPublic }) =>
          isPublic ? [<Route key={path} path={path} element={<Page />} />] : [],
        )}
        <Route path="/register" element={<Register />} />
        <Route path="/forgot" element={<Forgot />} />
      </CustomRoutes>
    </Admin>
  )
}
