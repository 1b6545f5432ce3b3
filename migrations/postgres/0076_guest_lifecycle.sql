-- EXPAND 0.1.0

ALTER TABLE "registrations" ADD COLUMN "erased_at" bigint;
