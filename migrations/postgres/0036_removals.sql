-- EXPAND 0.1.0
-- Rows of an organization may be deleted after it, in small writes (src/domains/removals): references to it, and from bindings to its roles, go.
-- The version before works without them: it deletes these rows in the write that deletes the organization or the role.

CREATE TABLE "removals" (
	"owner" bigint PRIMARY KEY NOT NULL
);

ALTER TABLE "org_invitations" DROP CONSTRAINT "org_invitations_org_id_organizations_id_fk";

ALTER TABLE "org_join_requests" DROP CONSTRAINT "org_join_requests_org_id_organizations_id_fk";

ALTER TABLE "org_members" DROP CONSTRAINT "org_members_org_id_organizations_id_fk";

ALTER TABLE "org_shares" DROP CONSTRAINT "org_shares_org_id_organizations_id_fk";

ALTER TABLE "rbac_user_roles" DROP CONSTRAINT "rbac_user_roles_role_id_rbac_roles_id_fk";
