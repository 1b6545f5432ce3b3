DROP INDEX `asset_loans_due`;

CREATE INDEX `asset_loans_unreturned` ON `asset_loans` (`owner`,`id`) WHERE "asset_loans"."checked_in_at" is null;

CREATE INDEX `asset_loans_due` ON `asset_loans` (`due_at`) WHERE "asset_loans"."checked_in_at" is null and "asset_loans"."reminded_at" is null;
