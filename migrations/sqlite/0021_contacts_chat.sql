CREATE TABLE `bus_events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`xid` integer NOT NULL,
	`origin` text NOT NULL,
	`topic` text NOT NULL,
	`payload` text NOT NULL,
	`created_at` integer NOT NULL
);

CREATE INDEX `bus_events_xid` ON `bus_events` (`xid`);

CREATE INDEX `bus_events_age` ON `bus_events` (`created_at`);

CREATE TABLE `chat_cursors` (
	`user_id` integer NOT NULL,
	`device_key` text NOT NULL,
	`cursor` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `device_key`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE TABLE `chat_numbers` (
	`id` integer PRIMARY KEY NOT NULL,
	`last` integer NOT NULL
);

CREATE TABLE `contact_lookups` (
	`user_id` integer NOT NULL,
	`found_id` integer NOT NULL,
	`source` text NOT NULL,
	`found_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `found_id`, `source`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`found_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `contact_lookups_found` ON `contact_lookups` (`found_id`);

CREATE INDEX `contact_lookups_age` ON `contact_lookups` (`found_at`);

CREATE TABLE `contact_profiles` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`card_code` text,
	`card_updated_at` integer,
	`findable_by_email` integer DEFAULT true NOT NULL,
	`findable_by_phone` integer DEFAULT true NOT NULL,
	`who_may_request` text DEFAULT 'EVERYONE' NOT NULL,
	`who_may_message` text DEFAULT 'CONTACTS' NOT NULL,
	`read_receipts` integer DEFAULT true NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `contact_profiles_card` ON `contact_profiles` (`card_code`) WHERE card_code is not null;

CREATE TABLE `contact_requests` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`from_id` integer NOT NULL,
	`to_id` integer NOT NULL,
	`message` text DEFAULT '' NOT NULL,
	`remark` text DEFAULT '' NOT NULL,
	`source` text NOT NULL,
	`status` text NOT NULL,
	`hidden` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`handled_at` integer,
	FOREIGN KEY (`from_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`to_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `contact_requests_pending` ON `contact_requests` (`from_id`,`to_id`) WHERE status = 'PENDING';

CREATE INDEX `contact_requests_outgoing` ON `contact_requests` (`from_id`,"id" desc);

CREATE INDEX `contact_requests_incoming` ON `contact_requests` (`to_id`,`hidden`,"id" desc);

CREATE INDEX `contact_requests_pair` ON `contact_requests` (`from_id`,`to_id`,"id" desc);

CREATE INDEX `contact_requests_open` ON `contact_requests` (`to_id`,`hidden`,`expires_at`) WHERE status = 'PENDING';

CREATE INDEX `contact_requests_age` ON `contact_requests` (`expires_at`);

CREATE TABLE `contacts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`other_id` integer NOT NULL,
	`is_contact` integer NOT NULL,
	`blocked` integer DEFAULT false NOT NULL,
	`remark` text DEFAULT '' NOT NULL,
	`tags` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`other_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `contacts_pair` ON `contacts` (`user_id`,`other_id`);

CREATE INDEX `contacts_other` ON `contacts` (`other_id`);

CREATE INDEX `contacts_list` ON `contacts` (`user_id`,`is_contact`,`created_at`,`id`);

CREATE TABLE `conversation_members` (
	`conversation_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`role` text,
	`joined_at` integer DEFAULT 0 NOT NULL,
	`cleared_up_to` integer DEFAULT 0 NOT NULL,
	`left_after` integer,
	`read_up_to` integer DEFAULT 0 NOT NULL,
	`shown_read_up_to` integer DEFAULT 0 NOT NULL,
	`unread` integer DEFAULT 0 NOT NULL,
	`mentioned_at` integer DEFAULT 0 NOT NULL,
	`last_message_id` integer,
	`last_number` integer DEFAULT 0 NOT NULL,
	`sort_at` integer NOT NULL,
	`hidden` integer DEFAULT false NOT NULL,
	`pinned` integer DEFAULT 0 NOT NULL,
	`muted` integer DEFAULT false NOT NULL,
	`draft` text DEFAULT '' NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`conversation_id`, `user_id`),
	FOREIGN KEY (`conversation_id`) REFERENCES `conversations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `conversation_members_list` ON `conversation_members` (`user_id`,`hidden`,"pinned" desc,"sort_at" desc,"conversation_id" desc);

CREATE INDEX `conversation_members_sync` ON `conversation_members` (`user_id`,`last_number`);

CREATE INDEX `conversation_members_group` ON `conversation_members` (`conversation_id`,`joined_at`,`user_id`) WHERE role is not null;

CREATE INDEX `conversation_members_user` ON `conversation_members` (`user_id`,`role`) WHERE role is not null;

CREATE INDEX `conversation_members_unread` ON `conversation_members` (`user_id`,"pinned" desc,"sort_at" desc,"conversation_id" desc,`unread`) WHERE unread > 0;

CREATE TABLE `conversations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`type` text NOT NULL,
	`low_user_id` integer,
	`high_user_id` integer,
	`name` text DEFAULT '' NOT NULL,
	`avatar_file_id` integer,
	`org_id` integer DEFAULT 0 NOT NULL,
	`follows_org` integer DEFAULT false NOT NULL,
	`member_count` integer NOT NULL,
	`purge_up_to` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);

CREATE UNIQUE INDEX `conversations_pair` ON `conversations` (`low_user_id`,`high_user_id`) WHERE low_user_id is not null;

CREATE INDEX `conversations_org` ON `conversations` (`org_id`) WHERE org_id <> 0;

CREATE INDEX `conversations_purge` ON `conversations` (`id`) WHERE purge_up_to is not null;

CREATE TABLE `message_cards` (
	`message_id` integer PRIMARY KEY NOT NULL,
	`conversation_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	FOREIGN KEY (`message_id`) REFERENCES `messages`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `message_cards_user` ON `message_cards` (`user_id`,`conversation_id`,`message_id`);

CREATE TABLE `message_files` (
	`message_id` integer NOT NULL,
	`file_id` integer NOT NULL,
	PRIMARY KEY(`message_id`, `file_id`),
	FOREIGN KEY (`message_id`) REFERENCES `messages`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `message_files_file` ON `message_files` (`file_id`);

CREATE TABLE `message_index` (
	`id` integer PRIMARY KEY NOT NULL,
	`up_to` integer NOT NULL
);

CREATE TABLE `message_keys` (
	`sender_id` integer NOT NULL,
	`client_msg_id` text NOT NULL,
	`conversation_id` integer NOT NULL,
	`first_id` integer NOT NULL,
	`count` integer NOT NULL,
	`digest` text NOT NULL,
	PRIMARY KEY(`sender_id`, `client_msg_id`),
	FOREIGN KEY (`sender_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE TABLE `message_reactions` (
	`message_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`emoji` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`message_id`, `user_id`, `emoji`),
	FOREIGN KEY (`message_id`) REFERENCES `messages`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `message_reactions_order` ON `message_reactions` (`message_id`,`emoji`,`created_at`,`user_id`);

CREATE TABLE `message_terms` (
	`conversation_id` integer NOT NULL,
	`term` text NOT NULL,
	`message_id` integer NOT NULL,
	PRIMARY KEY(`conversation_id`, `term`, `message_id`)
) WITHOUT ROWID;

CREATE TABLE `messages` (
	`id` integer PRIMARY KEY NOT NULL,
	`conversation_id` integer NOT NULL,
	`sender_id` integer,
	`type` text NOT NULL,
	`content` text NOT NULL,
	`client_msg_id` text,
	`reply_to_id` integer,
	`forwarded` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`recalled_at` integer,
	`changed_number` integer,
	`reactions` text,
	FOREIGN KEY (`conversation_id`) REFERENCES `conversations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`sender_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `messages_conversation` ON `messages` (`conversation_id`,"id" desc);

CREATE INDEX `messages_changed` ON `messages` (`conversation_id`,`changed_number`) WHERE changed_number is not null;

CREATE INDEX `messages_changes` ON `messages` (`changed_number`) WHERE changed_number is not null;

CREATE TABLE `push_subscriptions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`session_id` integer NOT NULL,
	`endpoint` text NOT NULL,
	`keys` text NOT NULL,
	`quiet_from` integer,
	`quiet_to` integer,
	`locale` text DEFAULT 'en' NOT NULL,
	`time_zone` text DEFAULT 'UTC' NOT NULL,
	`created_at` integer NOT NULL,
	`last_success_at` integer,
	`failures` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `push_subscriptions_endpoint` ON `push_subscriptions` (`endpoint`);

CREATE INDEX `push_subscriptions_user` ON `push_subscriptions` (`user_id`);

CREATE INDEX `push_subscriptions_session` ON `push_subscriptions` (`session_id`);

ALTER TABLE `asset_imports` ADD `alive_at` integer DEFAULT 0 NOT NULL;
