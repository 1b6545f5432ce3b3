ALTER TABLE "email_undos" ADD COLUMN "bound_at" bigint DEFAULT 0 NOT NULL;

ALTER TABLE "email_undos" ADD COLUMN "bound_on" text DEFAULT '' NOT NULL;

ALTER TABLE "identities" ADD COLUMN "bound_on" text DEFAULT '' NOT NULL;
