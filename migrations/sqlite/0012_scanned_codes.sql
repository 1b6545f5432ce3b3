ALTER TABLE `qr_codes` ADD `is_dynamic` integer DEFAULT false NOT NULL;

CREATE INDEX `qr_codes_content` ON `qr_codes` (`user_id`,`content`,`deleted_at`,`id`) WHERE "qr_codes"."org_id" = 0;

CREATE INDEX `qr_codes_org_content` ON `qr_codes` (`org_id`,`content`,`deleted_at`,`id`) WHERE "qr_codes"."org_id" <> 0;

CREATE INDEX `org_shares_source` ON `org_shares` (`org_id`,`entity_type`,`source_id`);
