-- EXPAND 0.1.0

ALTER TABLE "conversations" ADD COLUMN "members_mention_all" boolean DEFAULT false NOT NULL;
