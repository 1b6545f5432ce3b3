-- EXPAND 0.1.0

ALTER TABLE `conversation_members` ADD `draft_reply_to_id` integer;

ALTER TABLE `conversation_members` ADD `draft_version` integer DEFAULT 0 NOT NULL;
