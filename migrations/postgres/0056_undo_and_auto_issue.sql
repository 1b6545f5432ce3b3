-- EXPAND 0.1.0

CREATE TABLE "due_issues" (
	"activity_id" bigint PRIMARY KEY NOT NULL,
	"due_at" bigint NOT NULL
);

ALTER TABLE "activities" ADD COLUMN "auto_issue" boolean DEFAULT false NOT NULL;

ALTER TABLE "pass_uses" ADD COLUMN "takes_use" boolean;

ALTER TABLE "pass_uses" ADD COLUMN "undone_at" bigint;

ALTER TABLE "pass_uses" ADD COLUMN "undone_by_user_id" bigint;

ALTER TABLE "pass_uses" ADD COLUMN "undo_reason" text DEFAULT '' NOT NULL;

ALTER TABLE "registrations" ADD COLUMN "auto_pass_id" bigint;

CREATE INDEX "due_issues_due" ON "due_issues" USING btree ("due_at");
