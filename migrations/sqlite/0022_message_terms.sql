CREATE TABLE `message_index` (
	`id` integer PRIMARY KEY NOT NULL,
	`up_to` integer NOT NULL
);

CREATE TABLE `message_terms` (
	`conversation_id` integer NOT NULL,
	`term` text NOT NULL,
	`message_id` integer NOT NULL,
	PRIMARY KEY(`conversation_id`, `term`, `message_id`)
) WITHOUT ROWID;
