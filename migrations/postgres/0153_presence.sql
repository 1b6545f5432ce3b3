-- EXPAND 0.1.0

ALTER TABLE "contact_profiles" ADD COLUMN "presence" boolean DEFAULT false NOT NULL;

ALTER TABLE "contact_profiles" ADD COLUMN "seen_at" bigint;
