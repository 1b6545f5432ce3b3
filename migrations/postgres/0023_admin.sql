CREATE TABLE "admin_log_checkpoints" (
	"id" bigint PRIMARY KEY NOT NULL,
	"row_id" bigint NOT NULL,
	"hash" text NOT NULL,
	"row_count" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"signature" text NOT NULL
);

CREATE TABLE "admin_log_head" (
	"id" bigint PRIMARY KEY NOT NULL,
	"row_id" bigint NOT NULL,
	"hash" text NOT NULL,
	"row_count" bigint NOT NULL,
	"broken_at" bigint,
	"signature" text NOT NULL
);

CREATE TABLE "category_clean_ups" (
	"category_id" bigint PRIMARY KEY NOT NULL,
	"user_id" bigint NOT NULL
);

CREATE TABLE "message_lost_files" (
	"file_id" bigint PRIMARY KEY NOT NULL
);

CREATE TABLE "notification_withdrawals" (
	"content_id" bigint PRIMARY KEY NOT NULL
);

CREATE TABLE "purged_activities" (
	"activity_id" bigint PRIMARY KEY NOT NULL,
	"deleted_at" bigint NOT NULL
);

CREATE TABLE "purged_passes" (
	"pass_id" bigint PRIMARY KEY NOT NULL
);

DROP INDEX "activities_user";

DROP INDEX "check_ins_of_user";

DROP INDEX "nickname_words_word";

DROP INDEX "passes_list";

DROP INDEX "scan_records_code";

DROP INDEX "users_username_key";

ALTER TABLE "account_links" ADD COLUMN "status" text DEFAULT 'ACTIVE' NOT NULL;

ALTER TABLE "check_in_users" ADD COLUMN "deleted" bigint DEFAULT 0 NOT NULL;

ALTER TABLE "notification_sends" ADD COLUMN "audience" text DEFAULT 'ALL' NOT NULL;

ALTER TABLE "notification_sends" ADD COLUMN "audience_count" bigint DEFAULT 0 NOT NULL;

ALTER TABLE "passes" ADD COLUMN "deleted_at" bigint;

ALTER TABLE "users" ADD COLUMN "password_is_foreign" boolean DEFAULT false NOT NULL;

ALTER TABLE "users" ADD COLUMN "last_login_at" bigint;

CREATE UNIQUE INDEX "admin_log_checkpoints_row" ON "admin_log_checkpoints" USING btree ("row_id");

CREATE INDEX "activities_all" ON "activities" USING btree ("created_at","id") WHERE "activities"."deleted_at" is null;

CREATE INDEX "admin_logs_target_type" ON "admin_logs" USING btree ("target_type","id");

CREATE INDEX "admin_logs_action" ON "admin_logs" USING btree ("action","id");

CREATE INDEX "album_photos_created" ON "album_photos" USING btree ("created_at","id");

CREATE INDEX "asset_categories_created" ON "asset_categories" USING btree ("created_at","id") WHERE "asset_categories"."deleted_at" is null;

CREATE INDEX "categories_created" ON "categories" USING btree ("created_at","id");

CREATE INDEX "check_ins_time" ON "check_ins" USING btree ("checked_in_at","id");

CREATE INDEX "files_created" ON "files" USING btree ("created_at","id");

CREATE INDEX "inventory_items_photo" ON "inventory_items" USING btree ("photo_file_id") WHERE "inventory_items"."photo_file_id" is not null;

CREATE INDEX "notification_sends_created" ON "notification_sends" USING btree ("created_at","id");

CREATE INDEX "notifications_readers" ON "notifications" USING btree ("content_id","read") WHERE "notifications"."read";

CREATE INDEX "organizations_created" ON "organizations" USING btree ("created_at","id");

CREATE INDEX "organizations_name" ON "organizations" USING btree ("name","created_at","id");

CREATE INDEX "organizations_members" ON "organizations" USING btree ("member_count","created_at","id");

CREATE INDEX "pass_issues_activity" ON "pass_issues" USING btree ("activity_id");

CREATE INDEX "passes_created" ON "passes" USING btree ("created_at","id") WHERE "passes"."deleted_at" is null;

CREATE INDEX "qr_codes_all" ON "qr_codes" USING btree ("created_at","id") WHERE "qr_codes"."deleted_at" is null;

CREATE INDEX "qr_codes_trash" ON "qr_codes" USING btree ("created_at","id") WHERE "qr_codes"."deleted_at" is not null;

CREATE INDEX "scan_records_created" ON "scan_records" USING btree ("created_at","id");

CREATE INDEX "scan_records_user_created" ON "scan_records" USING btree ("user_id","created_at","id");

CREATE INDEX "sessions_status" ON "sessions" USING btree ("status","id");

CREATE INDEX "users_all_created" ON "users" USING btree ("created_at","id","status") WHERE "users"."status" <> 'DELETED';

CREATE INDEX "users_all_login" ON "users" USING btree ("last_login_at","created_at","id","status") WHERE "users"."status" <> 'DELETED';

CREATE INDEX "users_all_username" ON "users" USING btree ("username_key","created_at","id","status") WHERE "users"."status" <> 'DELETED';

CREATE INDEX "users_inactive_created" ON "users" USING btree ("status","created_at","id") WHERE "users"."status" <> 'ACTIVE';

CREATE INDEX "users_inactive_login" ON "users" USING btree ("status","last_login_at","created_at","id") WHERE "users"."status" <> 'ACTIVE';

CREATE INDEX "users_inactive_username" ON "users" USING btree ("status","username_key","created_at","id") WHERE "users"."status" <> 'ACTIVE';

CREATE INDEX "activities_user" ON "activities" USING btree ("user_id","created_at","id");

CREATE INDEX "check_ins_of_user" ON "check_ins" USING btree ("user_id","checked_in_at","id");

CREATE UNIQUE INDEX "nickname_words_word" ON "nickname_words" USING btree ("locale","kind",(lower("word") collate "C"));

CREATE INDEX "passes_list" ON "passes" USING btree ("activity_id","deleted_at","id" desc);

CREATE INDEX "scan_records_code" ON "scan_records" USING btree ("qr_code_id","created_at","id");

CREATE UNIQUE INDEX "users_username_key" ON "users" USING btree ("username_key") WHERE "users"."username_key" is not null;
