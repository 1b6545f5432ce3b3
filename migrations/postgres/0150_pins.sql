-- EXPAND 0.1.0

ALTER TABLE "conversation_members" ADD COLUMN "marked_unread" boolean DEFAULT false NOT NULL;

ALTER TABLE "conversations" ADD COLUMN "members_pin" boolean DEFAULT false NOT NULL;

ALTER TABLE "messages" ADD COLUMN "pin" text;
