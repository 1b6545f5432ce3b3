-- EXPAND 0.1.0

CREATE TABLE `oidc_logout_tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);

CREATE INDEX `oidc_logout_tokens_expiry` ON `oidc_logout_tokens` (`expires_at`);

CREATE TABLE `oidc_memberships` (
	`user_id` integer NOT NULL,
	`org_id` integer NOT NULL,
	`provider_id` integer NOT NULL,
	PRIMARY KEY(`user_id`, `org_id`, `provider_id`)
);

CREATE INDEX `oidc_memberships_org` ON `oidc_memberships` (`org_id`);

CREATE INDEX `oidc_memberships_provider` ON `oidc_memberships` (`provider_id`);

CREATE TABLE `oidc_providers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`key` text NOT NULL,
	`name` text NOT NULL,
	`issuer` text NOT NULL,
	`client_id` text NOT NULL,
	`client_secret` text,
	`scopes` text NOT NULL,
	`enabled` integer NOT NULL,
	`create_accounts` integer NOT NULL,
	`link_by_email` integer NOT NULL,
	`trust_mfa` integer NOT NULL,
	`groups_claim` text NOT NULL,
	`role_map` text NOT NULL,
	`role_mode` text NOT NULL,
	`logout` text NOT NULL,
	`last_error` text,
	`checked_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);

CREATE UNIQUE INDEX `oidc_providers_key` ON `oidc_providers` (`key`);

CREATE INDEX `oidc_providers_issuer` ON `oidc_providers` (`issuer`);

CREATE TABLE `oidc_sessions` (
	`session_id` integer PRIMARY KEY NOT NULL,
	`provider_id` integer NOT NULL,
	`credential` text NOT NULL,
	`sid` text,
	`id_token` text,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX `oidc_sessions_provider` ON `oidc_sessions` (`provider_id`,`sid`);

CREATE INDEX `oidc_sessions_credential` ON `oidc_sessions` (`credential`);

CREATE TABLE `oidc_states` (
	`hash` text PRIMARY KEY NOT NULL,
	`provider_id` integer NOT NULL,
	`browser_hash` text NOT NULL,
	`secrets` text NOT NULL,
	`redirect` text NOT NULL,
	`code_challenge` text,
	`user_id` integer,
	`session_id` integer,
	`expires_at` integer NOT NULL
);

CREATE INDEX `oidc_states_expiry` ON `oidc_states` (`expires_at`);

CREATE TABLE `oidc_tickets` (
	`hash` text PRIMARY KEY NOT NULL,
	`provider_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`credential` text NOT NULL,
	`browser_hash` text,
	`code_challenge` text,
	`has_factor` integer NOT NULL,
	`claims` text NOT NULL,
	`is_new_user` integer NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);

CREATE INDEX `oidc_tickets_expiry` ON `oidc_tickets` (`expires_at`);

CREATE INDEX `oidc_tickets_user` ON `oidc_tickets` (`user_id`);

ALTER TABLE `identities` ADD `issuer` text;

ALTER TABLE `identities` ADD `last_used_at` integer;

CREATE INDEX `identities_issuer` ON `identities` (`issuer`,`user_id`) WHERE "identities"."issuer" is not null;
