CREATE TABLE `org_invitations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org_id` integer NOT NULL,
	`inviter_id` integer NOT NULL,
	`invitee_id` integer NOT NULL,
	`status` text DEFAULT 'PENDING' NOT NULL,
	`expires_at` integer NOT NULL,
	`responded_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`inviter_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`invitee_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `org_invitations_open` ON `org_invitations` (`org_id`,`invitee_id`) WHERE status = 'PENDING';

CREATE INDEX `org_invitations_list` ON `org_invitations` (`org_id`,"id" desc);

CREATE INDEX `org_invitations_invitee` ON `org_invitations` (`invitee_id`,"id" desc);

CREATE TABLE `org_join_requests` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`message` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `org_join_requests_applicant` ON `org_join_requests` (`org_id`,`user_id`);

CREATE INDEX `org_join_requests_list` ON `org_join_requests` (`org_id`,`id`);

CREATE INDEX `org_join_requests_user` ON `org_join_requests` (`user_id`);

CREATE TABLE `org_members` (
	`org_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`nickname` text,
	`joined_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `user_id`),
	FOREIGN KEY (`org_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `org_members_list` ON `org_members` (`org_id`,`joined_at`,`user_id`);

CREATE INDEX `org_members_user` ON `org_members` (`user_id`,`joined_at`,`org_id`);

CREATE TABLE `organizations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`code` text NOT NULL,
	`status` text DEFAULT 'ACTIVE' NOT NULL,
	`visibility` text NOT NULL,
	`join_policy` text NOT NULL,
	`member_limit` integer NOT NULL,
	`member_count` integer NOT NULL,
	`avatar_url` text,
	`owner_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `organizations_code` ON `organizations` (`code`);

CREATE INDEX `organizations_discover` ON `organizations` (`visibility`,`status`,`created_at`,`id`);

CREATE INDEX `organizations_owner` ON `organizations` (`owner_id`);

CREATE INDEX `users_nickname` ON `users` ((lower("nickname")));
