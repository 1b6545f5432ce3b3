/** Copies of people's own things that belong to an organization. */
export { shareEndpoints as endpoints } from './endpoints.ts'
