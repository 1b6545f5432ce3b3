-- EXPAND 0.1.0

ALTER TABLE "conversation_members" ADD COLUMN "joined_after" bigint;

ALTER TABLE "conversation_members" ADD COLUMN "read_at" bigint;

ALTER TABLE "conversation_members" ADD COLUMN "read_before" bigint;
