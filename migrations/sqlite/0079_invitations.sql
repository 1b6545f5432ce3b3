-- EXPAND 0.1.0

CREATE TABLE `activity_invitations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`activity_id` integer NOT NULL,
	`code` text NOT NULL,
	`email` text,
	`name` text,
	`language` text,
	`text` text DEFAULT '' NOT NULL,
	`over_capacity` integer DEFAULT false NOT NULL,
	`expires_at` integer,
	`used_at` integer,
	`used_by` integer,
	`revoked_at` integer,
	`opened_at` integer,
	`mail_state` text,
	`mail_reason` text,
	`sent_at` integer,
	`created_by` integer NOT NULL,
	`request_id` text,
	`request_hash` text,
	`created_at` integer NOT NULL
);

CREATE UNIQUE INDEX `activity_invitations_code` ON `activity_invitations` (`activity_id`,`code`);

CREATE INDEX `activity_invitations_activity` ON `activity_invitations` (`activity_id`,`id`);

CREATE INDEX `activity_invitations_email` ON `activity_invitations` (`activity_id`,`email`) WHERE "activity_invitations"."email" is not null;

CREATE INDEX `activity_invitations_request` ON `activity_invitations` (`activity_id`,`created_by`,`request_id`) WHERE "activity_invitations"."request_id" is not null;

CREATE TABLE `invitation_refusals` (
	`address` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL
);

ALTER TABLE `registrations` ADD `invitation_id` integer;
