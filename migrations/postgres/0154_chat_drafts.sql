-- EXPAND 0.1.0

ALTER TABLE "conversation_members" ADD COLUMN "draft_reply_to_id" bigint;

ALTER TABLE "conversation_members" ADD COLUMN "draft_version" bigint DEFAULT 0 NOT NULL;
