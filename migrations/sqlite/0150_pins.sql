-- EXPAND 0.1.0

ALTER TABLE `conversation_members` ADD `marked_unread` integer DEFAULT false NOT NULL;

CREATE INDEX `conversation_members_marked` ON `conversation_members` (`user_id`,"pinned" desc,"sort_at" desc,"conversation_id" desc) WHERE marked_unread;

ALTER TABLE `conversations` ADD `members_pin` integer DEFAULT false NOT NULL;

ALTER TABLE `messages` ADD `pin` text;

CREATE INDEX `messages_pinned` ON `messages` (`conversation_id`) WHERE pin is not null and recalled_at is null;
