/** Entry point of the web application. */

import './browser/storage.ts'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { unstable_HistoryRouter as HistoryRouter } from 'react-router'

import { expectSession } from './api/tokens.ts'
import { App } from './App.tsx'
import { startInstall } from './browser/install.ts'
import { guardedHistory } from './browser/unsaved.ts'
import { chooseLocale } from './i18n/locale.ts'
import { startLive } from './session/live.ts'

// Chosen on the public page that led here.
const address = new URL(location.href)
const chosen = address.searchParams.get('lang')
if (chosen === 'en' || chosen === 'zh') {
  chooseLocale(chosen)
  address.searchParams.delete('lang')
}
// The setup page has signed the user in.
if (address.searchParams.has('session')) {
  expectSession()
  address.searchParams.delete('session')
}
if (address.href !== location.href) history.replaceState(history.state, '', address)
startLive()
startInstall()
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    {/* As transitions, navigations can be starved: after a sign-out the page went to the sign-in page for seconds. */}
    <HistoryRouter basename="/console" history={guardedHistory()} useTransitions={false}>
      <App />
    </HistoryRouter>
  </StrictMode>,
)
