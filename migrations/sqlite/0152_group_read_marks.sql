-- EXPAND 0.1.0

ALTER TABLE `conversation_members` ADD `joined_after` integer;

ALTER TABLE `conversation_members` ADD `read_at` integer;

ALTER TABLE `conversation_members` ADD `read_before` integer;
