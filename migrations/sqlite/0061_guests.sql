-- EXPAND 0.1.0
-- Registrations and check-ins of people without an account. SQLite takes no NOT NULL off a column, so the tables are written anew. They keep their
-- last ids, which must not be given again.

CREATE TABLE `__new_check_ins` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`activity_id` integer NOT NULL,
	`user_id` integer,
	`registration_id` integer,
	`sequence` integer NOT NULL,
	`method` text NOT NULL,
	`distance` integer,
	`checked_in_at` integer NOT NULL,
	FOREIGN KEY (`activity_id`) REFERENCES `activities`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

INSERT INTO `__new_check_ins`("id", "activity_id", "user_id", "sequence", "method", "distance", "checked_in_at") SELECT "id", "activity_id", "user_id", "sequence", "method", "distance", "checked_in_at" FROM `check_ins`;

DELETE FROM sqlite_sequence WHERE name = '__new_check_ins';

INSERT INTO sqlite_sequence (name, seq) SELECT '__new_check_ins', seq FROM sqlite_sequence WHERE name = 'check_ins';

DROP TABLE `check_ins`;

ALTER TABLE `__new_check_ins` RENAME TO `check_ins`;

CREATE INDEX `check_ins_activity` ON `check_ins` (`activity_id`,`checked_in_at`,`id`);

CREATE INDEX `check_ins_user` ON `check_ins` (`activity_id`,`user_id`,`checked_in_at`,`id`);

CREATE INDEX `check_ins_of_user` ON `check_ins` (`user_id`,`checked_in_at`,`id`);

CREATE INDEX `check_ins_time` ON `check_ins` (`checked_in_at`,`id`);

CREATE TABLE `__new_registrations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`activity_id` integer NOT NULL,
	`user_id` integer,
	`status` text NOT NULL,
	`source` text DEFAULT 'ACCOUNT' NOT NULL,
	`name` text,
	`email` text,
	`email_confirmed_at` integer,
	`language` text,
	`secret_hash` text,
	`secret` text,
	`answers` text NOT NULL,
	`note` text DEFAULT '' NOT NULL,
	`reason` text DEFAULT '' NOT NULL,
	`auto_pass_id` integer,
	`confirmed_at` integer,
	`wait_order` real,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`activity_id`) REFERENCES `activities`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

INSERT INTO `__new_registrations`("id", "activity_id", "user_id", "status", "answers", "auto_pass_id", "created_at", "updated_at") SELECT "id", "activity_id", "user_id", "status", "answers", "auto_pass_id", "created_at", "updated_at" FROM `registrations`;

DELETE FROM sqlite_sequence WHERE name = '__new_registrations';

INSERT INTO sqlite_sequence (name, seq) SELECT '__new_registrations', seq FROM sqlite_sequence WHERE name = 'registrations';

DROP TABLE `registrations`;

ALTER TABLE `__new_registrations` RENAME TO `registrations`;

CREATE UNIQUE INDEX `registrations_user` ON `registrations` (`activity_id`,`user_id`);

CREATE UNIQUE INDEX `registrations_guest` ON `registrations` (`activity_id`,`email`) WHERE "registrations"."user_id" is null and "registrations"."email" is not null;

CREATE UNIQUE INDEX `registrations_secret` ON `registrations` (`secret_hash`) WHERE "registrations"."secret_hash" is not null;

CREATE INDEX `registrations_listed` ON `registrations` (`activity_id`,`created_at`,`id`) WHERE "registrations"."status" <> 'PENDING';

CREATE INDEX `registrations_status` ON `registrations` (`activity_id`,`status`,`created_at`,`id`);

CREATE INDEX `registrations_waiting` ON `registrations` (`activity_id`,coalesce("wait_order", "created_at"),`id`) WHERE "registrations"."status" = 'WAITING';

CREATE INDEX `registrations_of_user` ON `registrations` (`user_id`);

CREATE INDEX `registrations_ids` ON `registrations` (`activity_id`,`id`);

CREATE INDEX `check_ins_registration` ON `check_ins` (`registration_id`,`checked_in_at`) WHERE "check_ins"."registration_id" is not null;

ALTER TABLE `passes` ADD `registration_id` integer;

CREATE INDEX `passes_registration` ON `passes` (`registration_id`,`id`) WHERE "passes"."registration_id" is not null;
