-- EXPAND 0.1.0

CREATE TABLE `activity_message_recipients` (
	`message_id` integer NOT NULL,
	`person` integer NOT NULL,
	`channel` text NOT NULL,
	`registration_id` integer,
	`state` text NOT NULL,
	`reason` text,
	`sent_at` integer,
	PRIMARY KEY(`message_id`, `person`, `channel`),
	FOREIGN KEY (`message_id`) REFERENCES `activity_messages`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `activity_message_recipients_state` ON `activity_message_recipients` (`message_id`,`channel`,`state`);

CREATE TABLE `activity_messages` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`activity_id` integer NOT NULL,
	`kind` text NOT NULL,
	`subject` text DEFAULT '' NOT NULL,
	`body` text DEFAULT '' NOT NULL,
	`body_html` text DEFAULT '' NOT NULL,
	`body_plain` text DEFAULT '' NOT NULL,
	`changes` text NOT NULL,
	`filter` text,
	`channels` text NOT NULL,
	`attach_pass` integer DEFAULT false NOT NULL,
	`state` text NOT NULL,
	`step` text DEFAULT 'REGISTERED' NOT NULL,
	`cursor` integer DEFAULT 0 NOT NULL,
	`mails_counted` integer DEFAULT 0 NOT NULL,
	`expected` integer DEFAULT 0 NOT NULL,
	`counts` text,
	`created_by` integer,
	`request_id` text,
	`request_hash` text,
	`send_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`activity_id`) REFERENCES `activities`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `activity_messages_list` ON `activity_messages` (`activity_id`,`id`);

CREATE UNIQUE INDEX `activity_messages_request` ON `activity_messages` (`activity_id`,`created_by`,`request_id`) WHERE "activity_messages"."request_id" is not null;

CREATE UNIQUE INDEX `activity_messages_notice` ON `activity_messages` (`activity_id`) WHERE "activity_messages"."state" = 'SCHEDULED' and "activity_messages"."kind" <> 'MESSAGE';

CREATE INDEX `activity_messages_waiting` ON `activity_messages` (`activity_id`) WHERE "activity_messages"."state" = 'SCHEDULED';

CREATE INDEX `activity_messages_due` ON `activity_messages` (`send_at`,`id`) WHERE "activity_messages"."state" = 'SCHEDULED';

CREATE INDEX `activity_messages_running` ON `activity_messages` (`id`) WHERE "activity_messages"."state" = 'RUNNING';

ALTER TABLE `activities` ADD `auto_notices` integer DEFAULT true NOT NULL;

ALTER TABLE `activities` ADD `contact_email` text;
