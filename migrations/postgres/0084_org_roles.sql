-- EXPAND 0.1.0

CREATE TABLE "rbac_own_roles" (
	"role_id" bigint NOT NULL,
	"org_id" bigint NOT NULL,
	"name_key" text,
	"description" text DEFAULT '' NOT NULL,
	"preset" text,
	"replace_with" bigint,
	CONSTRAINT "rbac_own_roles_role_id_pk" PRIMARY KEY("role_id")
);

ALTER TABLE "org_invitations" ADD COLUMN "role_id" bigint;

ALTER TABLE "rbac_permissions" ADD COLUMN "delegable" boolean DEFAULT true NOT NULL;

ALTER TABLE "rbac_own_roles" ADD CONSTRAINT "rbac_own_roles_role_id_rbac_roles_id_fk" FOREIGN KEY ("role_id") REFERENCES "public"."rbac_roles"("id") ON DELETE cascade ON UPDATE no action;

CREATE UNIQUE INDEX "rbac_own_roles_name" ON "rbac_own_roles" USING btree ("org_id","name_key");

CREATE INDEX "rbac_own_roles_replaced" ON "rbac_own_roles" USING btree ("replace_with") WHERE replace_with is not null;

-- Roles that owners make have no points of other domains, and none of those that guard the organization itself.
UPDATE rbac_permissions SET delegable = false
  WHERE domain <> 'ORG'
    OR (resource = 'org' AND action IN ('update', 'delete', 'transfer'))
    OR (resource = 'member' AND action = 'assign_role');
