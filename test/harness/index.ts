/** The imports of tests: a real server in a fresh data directory, its users, and requests. */
export { ADMIN, inProcess, startServer, type ServerOptions, type TestServer } from './server.ts'
export { type OperationId } from './api.ts'
export { ok, type Reply, type RequestOptions } from './client.ts'
export { type Gateways, startGateways } from './gateways.ts'
export { type Person } from './people.ts'
export { TestClock } from './clock.ts'
export { race } from './race.ts'
export { useServer } from './use-server.ts'
