-- EXPAND 0.1.0

ALTER TABLE "messages" ADD COLUMN "edited_at" bigint;
