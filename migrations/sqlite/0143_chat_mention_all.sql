-- EXPAND 0.1.0

ALTER TABLE `conversations` ADD `members_mention_all` integer DEFAULT false NOT NULL;
